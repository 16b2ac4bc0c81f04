#!/bin/bash
. "$(dirname "$0")/../lib.sh" 044-exit-codes-and-signals
while IFS=$'\t' read -r cmd st ec; do printf '#!/bin/bash\n%s\n' "$cmd" > "$W/x.sh"; ids+=($(jid -o /dev/null "$W/x.sh")); cmds+=("$cmd"); want+=("$st|$ec"); done < "$C/table.tsv"
compare() { local i got; for i in "${!ids[@]}"; do wait_end ${ids[i]} 20; got=$(sacct -X -n -P -j ${ids[i]} -o State,ExitCode); [ "$got" = "${want[i]}" ] && echo "$1=ok" || echo "$1=BAD [${cmds[i]}] got $got want ${want[i]}"; done; }
compare live; ctld_start; compare restarted
