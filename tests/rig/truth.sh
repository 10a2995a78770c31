#!/bin/bash
# Print a total of a truth file's ends: struct truth_end of decode/truth.h, 720 bytes for each CPU, the last of the file.
#
# usage: truth.sh FILE trace_bytes|branches|guest_instructions|root_instructions|pmis|overflows|psbs|exits|exit_N [CPU]
# exits: all VM exits; exit_N: those of basic exit reason N. Without CPU: the sum over all CPUs. Or: truth.sh FILE cpus
set -u

file=$1
size=720
nr_cpus=$(od -An -t u4 -j 12 -N 4 "$file" | tr -d ' ')

# sum FIRST LAST: of these 64-bit words, for the CPUs asked for
sum() {
    tail -c $((size * nr_cpus)) "$file" | od -An -v -t u8 -w8 |
        awk -v first="$1" -v last="$2" -v words=$((size / 8)) -v cpu="$cpu" '
            (cpu == "" || int((NR - 1) / words) == cpu) && (NR - 1) % words >= first && (NR - 1) % words <= last {
                sum += $1
            }
            END { printf "%.0f\n", sum }'
}

cpu=${3:-}
case $2 in
cpus) echo "$nr_cpus" ;;
trace_bytes) sum 1 1 ;;
branches) sum 4 4 ;;
guest_instructions) sum 5 5 ;;
root_instructions) sum 6 6 ;;
pmis) sum 7 7 ;;
overflows) sum 8 8 ;;
psbs) sum 9 9 ;;
exits) sum 10 89 ;;
exit_*) sum $((10 + ${2#exit_})) $((10 + ${2#exit_})) ;;
*)
    echo "truth.sh: what is $2?" >&2
    exit 1
    ;;
esac
