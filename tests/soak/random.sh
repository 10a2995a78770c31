#!/bin/bash
# 100,000 seeds of random code and games, of all kinds (tests/system/guest/random.sh), in parts; two run at a time. Prints what
# failed, and how many seeds passed in how many seconds.
#
# usage: random.sh     from the environment: RANDOM_FIRST (1000), RANDOM_TOTAL (100000), RANDOM_PART (2048), RANDOM_JOBS (2),
#                      RANDOM_GAPS (5): see there
. tests/system/lib.sh

first=${RANDOM_FIRST:-1000} total=${RANDOM_TOTAL:-100000} part=${RANDOM_PART:-2048}

# part KIND FIRST COUNT: 64 seeds of each part are single-stepped as well.
part() {
    local dir=$work/$1-$2
    RANDOM_KINDS=$1 RANDOM_FIRST=$2 RANDOM_COUNT=$3 RANDOM_STEPPED=64 RANDOM_GAPS=${RANDOM_GAPS:-5} WORK=$dir \
        tests/system/guest/random.sh >"$dir.log" 2>&1
    if grep -q '^not ok' "$dir.log" || ! grep -q '^1\.\.' "$dir.log"; then
        mv "$dir.log" "$dir.failed"
    else
        rm -rf "$dir" "$dir.log"
        echo "$3" >"$dir.passed"
    fi
}
export -f part
export work

# A quarter is 64-bit mode and flat segments, two are the other modes, and one is games.
parts() {
    local at
    for ((at = 0; at < total / 4; at += part)); do
        local count=$((total / 4 - at < part ? total / 4 - at : part))
        echo "code $((first + at)) $count"
        echo "modes $((first + at)) $count"
        echo "games $((first + at)) $count"
        echo "modes $((first + total + at)) $count"
    done
}
parts | xargs -P "${RANDOM_JOBS:-2}" -L 1 bash -c 'part "$@"' part
for failed in "$work"/*.failed; do
    [ -e "$failed" ] || continue
    fail "$(basename "$failed" .failed)" "$(grep -A 6 '^not ok' "$failed")"
done
passed=$(cat "$work"/*.passed 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
same "$passed of $total seeds passed, in $SECONDS seconds" "$passed" "$((total / 4 * 4))"
done_testing
