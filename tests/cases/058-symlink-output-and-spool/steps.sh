#!/bin/bash
. "$(dirname "$0")/../lib.sh" 058-symlink-output-and-spool
# The system's folders are played by $D, whose contents nobody but root may change. Links lie in the user's
# own folder, where no rule of the kernel about links in sticky folders helps.
D=$(dirname "$W")/system; mkdir -p "$D/etc/cron.d" "$D/root"; chmod 755 "$D" "$D/etc" "$D/etc/cron.d"; chmod 700 "$D/root"; echo kept > "$D/etc/passwd"
seen() { find "$D" -printf '%p %u %m %s %C@\n' | sort | sha256sum; }
before=$(seen); touch "$W/mark"; export U="$W/u" D; plain_user mkdir "$U"; cd "$U"
plain_user bash -c 'ln -s $D/etc/cron.d/pwn out; ln -s $D/root/x slurm-next; ln -s $D/etc/passwd over; ln -s $D/etc etc'
for o in out slurm-next over etc/pwn; do j=$(plain_user jid -o $o "$C/job.sh"); wait_end $j 20; echo "link=$o $(sacct -X -n -P -j $j -o State,Reason)"; done
for e in out over; do j=$(plain_user jid -o /dev/null -e $e "$C/job.sh"); wait_end $j 20; echo "link=$e $(sacct -X -n -P -j $j -o State,Reason)"; done
race() { for ((i=0;;i++)); do ln -sfn $D/etc/cron.d/evil race.$((i % 4)); rm -f race.$(((i + 2) % 4)); done; }
export -f race; setpriv --reuid=65534 --regid=65534 --clear-groups bash -c race 2>/dev/null & racer=$!
for i in $(seq 24); do plain_user sbatch -o race.$((i % 4)) --wrap 'echo data' >/dev/null; done
for ((i=0;i<200;i++)); do [ -z "$(squeue -h)" ] && break; sleep .1; done; kill $racer; echo "raced=$(sacct -X -n -P -s F,CD -o JobID | wc -l)"
j=$(plain_user jid -D "$U" -o "$U/spool.o" "$C/spool.sh"); wait_text spool.o 'ready'; spool=$(sed -n 's/^folder=//p' spool.o)
ln -sfn "$D/etc/passwd" "$spool/slurm_script"      # were one of root's programs to put it there
find "$(dirname "$spool")" -type d -user 65534 | sed 's/^/users_own=/'; plain_user find "$spool" -maxdepth 1 -writable ! -type l 2>/dev/null | sed 's/^/writable=/'
touch go; wait_end $j 20; echo "job=$(state $j)"; sed 's/^/spool_/' spool.o
for ((i=0;i<50;i++)); do [ -e "$spool" ] || break; sleep .1; done; [ -e "$spool" ] || echo "spool=cleaned"
[ "$before" = "$(seen)" ] && echo "system=same"; find "$D" -newer "$W/mark" | sed 's/^/touched=/'; find /etc /root -xdev -newer "$W/mark" -user 65534 2>/dev/null | sed 's/^/touched=/'
