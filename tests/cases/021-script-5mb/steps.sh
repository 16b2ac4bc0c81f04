#!/bin/bash
. "$(dirname "$0")/../lib.sh" 021-script-5mb
python3 "$C/gen.py" > "$W/big.sh"; echo "size=$(stat -c %s "$W/big.sh")"; echo "hash=$(sha256sum < "$W/big.sh" | cut -c1-64)"
sbatch --parsable -o "$W/o" "$W/big.sh" > "$W/id"; echo "rc=$?"
j=$(cat "$W/id"); [ -n "$j" ] && { wait_end $j 60; cat "$W/o"; scontrol write batch_script $j "$W/copy"; cmp "$W/copy" "$W/big.sh" && echo "copy=same"; }
