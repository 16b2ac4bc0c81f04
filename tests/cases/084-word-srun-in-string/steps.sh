#!/bin/bash
. "$(dirname "$0")/../lib.sh" 084-word-srun-in-string
j=$(jid -o "$W/o" "$C/job.sh"); wait_end $j 30; sed 's/^/srun: /' "$W/o"; echo "first=$(scontrol show hostnames "$(fld $j NodeList)" | head -1)"
sed 's/srun/xrun/g' "$C/job.sh" > "$W/x.sh"; k=$(jid -o "$W/p" "$W/x.sh"); wait_end $k 30; sed 's/^/xrun: /' "$W/p"
diff <(sed "s/srun/xrun/g; s/job=$j/job=J/" "$W/o") <(sed "s/job=$k/job=J/" "$W/p") && echo "texts=same"
echo "runs=$(wc -l < "$W/runs")"; echo "states=$(state $j),$(state $k)"
