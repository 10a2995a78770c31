#!/bin/bash
# Fuzz each target for a while, from the corpus in the tree and from what earlier runs have found (build/fuzz/NAME.corpus).
#
# usage: run.sh SECONDS TARGET...      what fails is left as build/fuzz/NAME.crash-*: add it to tests/fuzz/corpus/NAME once mended
set -u

seconds=$1
shift
status=0
for name in "$@"; do
    own=build/fuzz/$name.corpus
    mkdir -p "$own"
    echo "fuzz: $name, $seconds seconds"
    if ! build/fuzz/fuzz_"$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$name." "$own" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1; then
        echo "fuzz: $name: FAILED: build/fuzz/$name.log" >&2
        tail -n 5 "build/fuzz/$name.log" >&2
        status=1
    fi
    awk '/number_of_executed_units|new_units_added/ { printf "  %s", $0 } /cov:/ { cov = $4 } END { print "  covered: " cov }' \
        "build/fuzz/$name.log"
done
exit $status
