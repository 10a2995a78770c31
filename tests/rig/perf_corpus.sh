#!/bin/bash
# The code of the programs in tests/fuzz/corpus/perf, known to the byte. Their file /c has the first program at offset 0, and the
# second one, which runs at the same address, at offset 32.
#
# usage: perf_corpus.sh FILE
set -eu

hex='74 02 90 eb fb e8 01 00 00 00 c3 ff e0 ff d0 0f 05 75 ee 90 cc 0f ae e0 c3 cc cc cc cc cc cc cc 90 75 fd c3'
# shellcheck disable=SC2059 # escapes that are made here
printf "$(sed 's/ *\([0-9a-f][0-9a-f]\)/\\x\1/g' <<<"$hex")" >"$1"
