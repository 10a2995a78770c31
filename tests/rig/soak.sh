#!/bin/bash
# What is too much for each change: the matrix with many seeds, half of its places with two CPUs. Prints what failed, and
# keeps it in build/soak/SEED; the last line counts.
#
# usage: soak.sh     from the environment: SEEDS (1 to 20), COUNT of places for each (240), and what matrix.sh takes
set -u

mkdir -p build/soak
failed=0 passed=0
for seed in ${SEEDS:-$(seq 1 20)}; do
    work=build/soak/$seed
    WORK=$work MATRIX_SEED=$seed MATRIX_COUNT=${COUNT:-240} MATRIX_SMP=${MATRIX_SMP:-2} tests/system/matrix.sh >"$work.log.new"
    mkdir -p "$work"
    mv "$work.log.new" "$work/log"
    grep -A 3 '^not ok' "$work/log" | sed "s/^/seed $seed: /"
    ok=$(grep -c '^ok ' "$work/log") not_ok=$(grep -c '^not ok ' "$work/log")
    [ $((ok + not_ok)) -gt 0 ] || not_ok=1
    passed=$((passed + ok)) failed=$((failed + not_ok))
    echo "seed $seed: $ok passed, $not_ok failed"
    [ "$not_ok" != 0 ] || rm -rf "$work"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
