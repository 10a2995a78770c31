#!/bin/bash
# Run the rows: micro-programs that each cause one row of the SDM's table "Packet Generation under Different Enable
# Conditions" (or another rule of packets or MSRs), and compare the packets. Prints TAP. README.md says how to add one.
#
#   tests/model/rows/run.sh [BUILD [PATTERN]]      BUILD/bochs must exist; PATTERN: which rows, default '*'
#
# Rows whose comments have the same "options:" line share a ROM and a run of the emulator.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
pattern=${2:-*}
out=$build/model/rows
# shellcheck source=tests/model/perf.sh
. "$here/../perf.sh"
# shellcheck source=tests/model/rom.sh
. "$here/../rom.sh"
default_options='profile=skylake'
asm_flags="-c -I$here"

rm -rf "$out"
mkdir -p "$out"

# Words are split on purpose where flags are.
# shellcheck disable=SC2086
build_tools() {
    gcc $rom_flags -o "$out/harness.o" "$here/harness.c"
    gcc $rom_flags -o "$out/vmx.o" "$here/vmx.c"
    gcc $asm_flags -o "$out/faults.o" "$here/faults.S"
    gcc $asm_flags -o "$out/rom.o" "$here/../selftest/rom.S"
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$root" -o "$out/check" "$here"/{check,symbols,packets,truth,libipt,perf}.c \
        "$here/../selftest/branches.c" "$root"/pt/packet/{parse,encode,names}.c "$root/decode/report/dump_line.c" -lipt
    build_perf_tools
}

# $1: the words of ptmodel; and "; N", the number of CPUs, where that is not 1.
bochsrc() {
    local cpus=1
    [ "${1#*; }" = "$1" ] || cpus=${1#*; }
    rom_bochsrc 'guest=32, host=32' "$cpus" results.txt "${1%; *}, truth=truth.bin, branches=branches.bin, scope=traced"
}

options_of() {
    local line
    line=$(sed -n 's/^ \* options: *//p; /\*\//q' "$1")
    echo "${line:-$default_options}$(sed -n 's/^ \* cpus: */; /p; /\*\//q' "$1")"
}

# run_group DIR OPTIONS ROW.S...: one ROM, one run.
# shellcheck disable=SC2086
run_group() {
    local dir=$1 options=$2 row objects=()
    shift 2
    mkdir -p "$dir"
    for row in "$@"; do
        local object
        object=$dir/$(basename "$row" .S).o
        gcc $asm_flags -DROW_NAME="$(basename "$row" .S)" -o "$object" "$row"
        objects+=("$object")
    done
    rom_link "$dir/rom.elf" "$here/link.ld" "$out/rom.o" "$out/faults.o" "$out/harness.o" "$out/vmx.o" "${objects[@]}"
    bochsrc "$options" >"$dir/bochsrc"
    : >"$dir/results.txt"
    rom_run "$dir"
    [ -f "$dir/branches.bin" ] || { tail -n 5 "$dir/bochs.out"; : >"$dir/branches.bin"; }
    "$out/check" "$dir/rom.elf" "$dir/rom.bin" "$dir/results.txt" "$dir/branches.bin" "$dir" "$@"
    if perf_sees_packets "$dir"; then
        echo "ok - perf sees the same packets in all rows of $options"
    else
        echo "not ok - perf sees the same packets in all rows of $options"
        head -n 20 "$dir/perf.diff"
    fi
    perf_follows "$dir"
}

# docs/model.md has each program that a decoder does not support.
listed() {
    local row missing=
    # shellcheck disable=SC2086 # a pattern is meant
    for row in $(cd "$here" && grep -lE '^ \* (libipt|perf): ' -- $pattern.S); do
        grep -q "| .*\`${row%.S}\`.* |" "$root/docs/model.md" || missing="$missing ${row%.S}"
    done
    echo "${missing:+not }ok - docs/model.md lists what decoders do not support${missing:+; not so$missing}"
}

build_tools
declare -A rows_of=()
for row in "$here"/$pattern.S; do
    [ "$(basename "$row")" = faults.S ] && continue
    options=$(options_of "$row")
    rows_of[$options]="${rows_of[$options]:-} $row"
done
group=0
for options in "${!rows_of[@]}"; do
    group=$((group + 1))
    # shellcheck disable=SC2086
    run_group "$out/$group" "$options" ${rows_of[$options]}
done >"$out/tap"
listed >>"$out/tap"
awk '/^(not )?ok - / { sub(/ok - /, "ok " ++n " - ") } { print } END { print "1.." n+0 }' "$out/tap"
! grep -q '^not ok' "$out/tap"
