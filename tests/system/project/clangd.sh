#!/bin/bash
# `make compile_commands.json` is what clangd needs: it finds no error in a file of the hypervisor, of the host tool, of a
# unit test and of a micro-guest.
. tests/system/lib.sh

if ! command -v clangd >/dev/null; then
    skip 'clangd finds no error' 'clangd is not installed'
    done_testing
fi

kept=
[ ! -e compile_commands.json ] || kept=yes
check 'the goal succeeds' make -s compile_commands.json
cp compile_commands.json "$work/"
[ -n "$kept" ] || rm compile_commands.json
same 'it is valid JSON: one entry for each file' \
    "$(jq -r '.[].file' "$work/compile_commands.json" | wc -l)" "$(jq -r '.[].file' "$work/compile_commands.json" | sort -u | wc -l)"
for file in vmx/guest/inject.c decode/capture/error.c tests/unit/base/test_format.c tests/guests/branches.c; do
    same "each file of the kind of $file has a command" "$(jq -r '.[].file' "$work/compile_commands.json" | grep -cxF "$file")" 1
    clangd --compile-commands-dir="$(realpath "$work")" --check="$file" --check-lines=1-40 --log=error >"$work/log" 2>&1
    same "clangd finds no error in $file" "$? $(grep -c '^E\[' "$work/log")" '0 0'
done

# An error in the file is one to clangd: the check can fail.
sed 's/^#include "decode\/capture\/error.h"/#include "decode\/capture\/no_such_file.h"/' decode/capture/error.c >"$work/wrong.c"
jq --arg file "$work/wrong.c" '[.[] | select(.file == "decode/capture/error.c") | .file = $file | .command |= sub("decode/capture/error.c"; $file)]' \
    "$work/compile_commands.json" >"$work/one.json" && mkdir "$work/one" && mv "$work/one.json" "$work/one/compile_commands.json"
check 'an include that does not exist is found' test "$(clangd --compile-commands-dir="$(realpath "$work/one")" --check="$work/wrong.c" --log=error 2>&1 | grep -c '^E\[')" -gt 0
done_testing
