#!/bin/bash
# How much of each core file the unit tests execute, worst first. `make coverage` has built them into BUILD.
#
# from the environment: BUILD, CORE
set -eu

find "$BUILD" -name '*.gcda' -delete
for test in $(find "$BUILD/check/unit" -name 'test_*'); do
    [ -x "$test" ] && ! [ -d "$test" ] && "$test" >/dev/null 2>&1
done
for file in $CORE; do
    gcov -n -o "$BUILD/check/$(dirname "$file")" "$BUILD/check/${file%.c}.o" 2>/dev/null |
        awk -v file="$file" -F"'" '/^File/ { mine = $2 == file } mine && /^Lines executed/ {
            sub("Lines executed:", ""); split($0, part, "% of "); printf "%6.1f%% of %4d lines  %s\n", part[1], part[2], file; exit }'
done | sort -n
