#!/bin/bash
# The fuzz targets on the corpora in the tree, with sanitizers: what once was wrong stays right. Prints TAP.
#
# usage: fuzz_replay.sh      (from the top; FUZZ_TARGETS names them)
set -u

count=0
for name in $FUZZ_TARGETS; do
    count=$((count + 1))
    if output=$(build/check/fuzz_"$name" tests/fuzz/corpus/"$name"/* 2>&1); then
        echo "ok $count - $name: $output"
    else
        echo "not ok $count - $name"
        echo "$output" | tail -n 20
    fi
done
echo "1..$count"
