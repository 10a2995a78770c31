#!/bin/bash
# The host tool, the library and the fuzz targets compile with clang, too: make fuzz uses it, and so do users' builds. Checks the
# syntax only. Prints TAP.
#
# usage: clang.sh       (from the top; CLANG_C and CLANG_CFLAGS as the Makefile has them)
set -u

# shellcheck disable=SC2086 # lists of words
if output=$(clang -fsyntax-only $CLANG_CFLAGS $CLANG_C 2>&1); then
    echo "ok 1 - $(wc -w <<<"$CLANG_C") files of the host tool, the library and the fuzz targets compile with clang"
else
    echo "not ok 1 - the host tool, the library and the fuzz targets compile with clang"
    head -n 40 <<<"$output"
fi
echo 1..1
