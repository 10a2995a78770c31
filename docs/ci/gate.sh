#!/bin/bash
# Judge a capture in CI: the branches between START and END, both included, against those of a run that was good.
#
# usage: gate.sh CAPTURE BASELINE START END [PERCENT]     addresses in hexadecimal, 16 digits
#
# BASELINE has a branch a line, from where and to where, sorted: CAPTURE.branches of the good run. PERCENT of them (100) must
# have been executed, and no others.
#
# Exit status: 0 good; 1 an error; 2 the capture is not complete; 3 an unexpected branch; 4 the coverage has dropped.
set -eu -o pipefail
export LC_ALL=C
undertrace=${UNDERTRACE:-build/undertrace}
capture=$1 baseline=$2 start=$3 end=$4 percent=${5:-100}

status=0
"$undertrace" report "$capture" --json "$capture.summary.json" >"$capture.report" || status=$?
if [ "$status" -ne 0 ]; then
    tail -n 20 "$capture.report" >&2
    echo "gate: the report ended with $status" >&2
    exit "$status"
fi

# What interrupts lead to begins or ends elsewhere, so that it does not matter when they come.
for cpu in $("$undertrace" info --json "$capture" | jq '.streams[].cpu'); do
    "$undertrace" decode "$capture" --cpu "$cpu" --branches "$capture.list" >/dev/null
    awk -v start="$start" -v end="$end" '$1 >= start && $1 <= end && $2 >= start && $2 <= end' "$capture.list"
done | sort -u >"$capture.branches"
rm -f "$capture.list"
[ -s "$capture.branches" ] || {
    echo "gate: no branch between $start and $end was executed" >&2
    exit 4
}
[ -r "$baseline" ] || {
    echo "gate: there is no $baseline; where this run was good: cp $capture.branches $baseline" >&2
    exit 1
}

comm -13 "$baseline" "$capture.branches" >"$capture.unexpected"
executed=$(comm -12 "$baseline" "$capture.branches" | wc -l) all=$(wc -l <"$baseline")
echo "gate: $executed of $all branches were executed, $(wc -l <"$capture.unexpected") unexpected ones"
if [ -s "$capture.unexpected" ]; then
    head -n 20 "$capture.unexpected" >&2
    exit 3
fi
[ $((executed * 100)) -ge $((all * percent)) ] || exit 4
