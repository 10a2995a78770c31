#!/bin/bash
# The instruction decoder against Zydis at length: random bytes with more seeds, and all ELF files of this machine's /usr.
#
# usage: instructions.sh     from the environment: RANDOM_SEEDS (100 to 139), RANDOM_COUNT for each seed and mode (5000000), PATHS
. tests/system/lib.sh

agrees=build/tools/instructions_agree
for seed in ${RANDOM_SEEDS:-$(seq 100 139)}; do
    check "random bytes, seed $seed" "$agrees" random "$seed" "${RANDOM_COUNT:-5000000}"
done

# shellcheck disable=SC2086
find ${PATHS:-/usr/bin /usr/sbin /usr/lib /usr/libexec} -xdev -type f -size +4k -print0 |
    xargs -0 -n 200 "$agrees" sweep >"$work/sweep"
status=$? # 123: a tool ended with 1 or 2, which its output explains; above: one was killed
same 'all files: each tool came to its end' "$((status == 0 || status == 123))" 1
same 'all files: no tool found a difference' "$(grep -E '^mode [^:]*: [a-z]' "$work/sweep")" ''
instructions=$(awk '/^total:/ { sum += $4 } END { printf "%.0f", sum }' "$work/sweep")
check "all files: $instructions instructions" test "$instructions" -gt 10000000
done_testing
