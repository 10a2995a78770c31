#!/bin/bash
# Print a total of a truth file's end: struct truth_end of decode/truth.h, one CPU, the last 720 bytes.
#
# usage: truth.sh FILE trace_bytes|branches|guest_instructions|root_instructions|pmis|overflows|psbs|exits|exit_N
# exits: all VM exits; exit_N: those of basic exit reason N
set -u

word() {
    tail -c 720 "$1" | od -An -v -t u8 -w8 -j $((8 * $2)) -N 8 | tr -d ' '
}

case $2 in
trace_bytes) word "$1" 1 ;;
branches) word "$1" 4 ;;
guest_instructions) word "$1" 5 ;;
root_instructions) word "$1" 6 ;;
pmis) word "$1" 7 ;;
overflows) word "$1" 8 ;;
psbs) word "$1" 9 ;;
exits) tail -c 640 "$1" | od -An -v -t u8 -w8 | awk '{ sum += $1 } END { print sum + 0 }' ;;
exit_*) word "$1" $((10 + ${2#exit_})) ;;
*)
    echo "truth.sh: what is $2?" >&2
    exit 1
    ;;
esac
