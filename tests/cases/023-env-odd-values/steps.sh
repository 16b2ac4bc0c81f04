#!/bin/bash
. "$(dirname "$0")/../lib.sh" 023-env-odd-values
export T_NL=$'a\nb\n' T_EQ='x=y=z' T_EMPTY= T_Q=$'\'"\\`$(id)' T_UTF='ß✓' T_SP='  lead and trail  ' T_PCT='%j %A'; t_fun() { echo hi; }; export -f t_fun
bash "$C/job.sh" > "$W/want"; j=$(jid -o "$W/got" "$C/job.sh"); wait_end $j 30; cmp "$W/want" "$W/got" && echo same
k=$(env 'T.DOT=1' 'T_1=x' sbatch --parsable --wrap 'env | grep "^T[._][D1]"' -o "$W/dot"); wait_end $k 30; sort "$W/dot"
