#!/bin/bash
. "$(dirname "$0")/../lib.sh" 003-no-shebang-and-leading-space
for f in a_none.sh b_indented.sh d_empty.sh e_elf_like.bin; do sbatch -o /dev/null "$C/$f" 2>"$W/text"; echo "$f=$? $(tr '\n' ' ' <"$W/text")"; done
j=$(jid -o /dev/null "$C/c_missing_interp.sh"); wait_end "$j" 30; sacct -X -n -P -j "$j" -o State,ExitCode,Reason | sed 's/^/c=/'
echo "jobs=$(sacct -X -n -a | wc -l)"; echo "node=$(node_state n1)"; echo "restarts=$(fld "$j" Restarts)"
