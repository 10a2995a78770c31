#!/bin/sh
# Put the script for gdb into a C file.
#
# usage: bundle.sh OUT.c        (from the top)
set -eu

mkdir -p "$(dirname "$1")"
{
    echo '#include "decode/cli/gdb/unwind_script.h"'
    echo 'const char unwind_script[] = {'
    od -An -v -td1 decode/cli/gdb/unwind.py | sed 's/  *\(-\{0,1\}[0-9][0-9]*\)/\1,/g'
    echo '0};'
} >"$1"
