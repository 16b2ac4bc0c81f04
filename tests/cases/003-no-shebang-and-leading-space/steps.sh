#!/bin/bash
. "$(dirname "$0")/../lib.sh" 003-no-shebang-and-leading-space
: > "$W/d_empty.sh"; { printf '\177ELF\002\001\001'; head -c 57 /dev/zero; } > "$W/e_elf_like.bin"
for f in "$C/a_none.sh" "$C/b_indented.sh" "$W/d_empty.sh" "$W/e_elf_like.bin"; do
  sbatch "$f" >"$W/o" 2>"$W/e"; rc=$?; echo "$(basename "$f")=$rc $(wc -c < "$W/o") $(grep 'line 1 must' "$W/e")"
done
echo "queued=$(squeue -h -t all | wc -l)"
printf '#!/etc/passwd\n' > "$W/f_no_program.sh"
for f in "$C/c_missing_interp.sh" "$W/f_no_program.sh"; do
  j=$(jid -o "$W/%j.o" "$f"); wait_end "$j" 30; name=$(basename "$f")
  echo "$name=$(sacct -X -n -P -j "$j" -o State,ExitCode,Reason)"
  echo "$name.runs=$(sacct -X -D -n -P -j "$j" -o JobID | wc -l) $(fld "$j" Restarts)"; echo "$name.shown=$(fld "$j" ExitCode)"
done
j=$(jid --wrap true); wait_end "$j" 30; echo "next=$(state "$j")"
echo "node=$(node_state n1)"
