#!/bin/bash
# CC, CPPFLAGS, CFLAGS and LDFLAGS, of the environment or the command line, reach each command that makes a host program or the
# library, and none that makes the hypervisor. Warnings are errors in `make check` and `make test` only. `make -n` prints the
# commands.
. tests/system/lib.sh

# The make that runs this test must not reach the inner ones.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES WERROR CC CPPFLAGS CFLAGS LDFLAGS V
b=$work/build
flags='CC=our-cc CPPFLAGS=-DOUR_CPP CFLAGS=-DOUR_C LDFLAGS=-Wl,-our-ld'
products="$b/undertrace $b/undertrace-judge $b/libundertrace.so $b/check/unit/base/test_format $b/tools/times_agree"

# commands LIST: those that compile or link, of a list of make's
commands() {
    sed -e ':more; /\\$/ { N; s/\\\n//; b more }' "$1" | grep -E ' -o ' | grep -vE '^ *(echo|@echo|install|ld|objcopy) '
}
# lacking LIST PATTERN WORD...: commands that match the pattern and lack one of the words
lacking() {
    local list=$1 pattern=$2 word
    shift 2
    for word in "$@"; do commands "$list" | grep -E -- "$pattern" | grep -vF -- "$word"; done
}

# shellcheck disable=SC2086 # lists of words
{
    env $flags make -n V=1 BUILD="$b" $products >"$work/environment" 2>&1
    make -n V=1 BUILD="$b" $flags $products >"$work/command_line" 2>&1
    make -n V=1 BUILD="$b" $flags "$b/undertrace.elf" >"$work/hypervisor" 2>&1
}
for from in environment command_line; do
    check "$from: there are commands that compile and link" test "$(commands "$work/$from" | wc -l)" -gt 300
    same "$from: each host file is compiled with CC, CPPFLAGS and CFLAGS" \
        "$(lacking "$work/$from" ' -c ' 'our-cc ' -DOUR_CPP -DOUR_C | head -n 3)" ''
    # What a compiler makes without -c is linked.
    same "$from: each host program is linked with CC and LDFLAGS" \
        "$(commands "$work/$from" | grep -v ' -c ' | grep -cF -- '-Wl,-our-ld') $(commands "$work/$from" | grep -v ' -c ' | grep -vcF our-cc)" "$(wc -w <<<"$products") 0"
done
check 'the hypervisor has commands, too' test "$(commands "$work/hypervisor" | wc -l)" -gt 100
same 'none of them has these words' "$(grep -ciE 'our[-_]' "$work/hypervisor")" 0

for goal in all lib run bench check test; do
    make -n V=1 BUILD="$b" "$goal" >"$work/$goal" 2>&1
    total=$(commands "$work/$goal" | grep -c ' -c ') strict=$(commands "$work/$goal" | grep ' -c ' | grep -c -- ' -Werror ')
    case $goal in
    check | test) same "make $goal: a warning is an error in each of $total files" "$strict" "$total" ;;
    *) same "make $goal: a warning is an error in none of $total files" "$strict" 0 ;;
    esac
    check "make $goal compiles" test "$total" -gt 20
done
done_testing
