#!/bin/bash
# The library as its users have it: installed, found by pkg-config. What it yields must be what `undertrace decode` and
# `undertrace dump` print, whole and in parts, from a shared object that gives out nothing but its own names.
#
# usage: library.sh [CAPTURE...]      without one, guests are booted
. tests/system/lib.sh

if [ $# -eq 0 ]; then
    check 'spaces runs' boot_guest boot_spaces spaces 'channel=e1000 net.mtu=9000 pt.mtc=3'
    WIRE='rate=10' check 'load runs, and drops' boot_guest boot_load load 'channel=e1000 net.mtu=9000 pt.region=64K pt.regions=4 policy=drop'
    CPUS=2 check 'smp runs on two CPUs' boot boot_smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
    set -- "$work"/boot_{spaces,load,smp}/capture
fi

root=$(realpath "$work")/root
check 'it is installed' make -s install DESTDIR="$root" PREFIX=/usr
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root LD_LIBRARY_PATH=$root/usr/lib
# shellcheck disable=SC2046 # words
build() {
    gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror "$@" -pthread
}
# shellcheck disable=SC2046 # words
check 'its example compiles' build docs/example.c $(pkg-config --cflags --libs undertrace) -o "$work/example"
# shellcheck disable=SC2046
check 'a program compiles with the shared library' build tests/library/list.c $(pkg-config --cflags --libs undertrace) -o "$work/shared"
# shellcheck disable=SC2046
check 'and with the archive' build tests/library/list.c $(pkg-config --cflags undertrace) "$root/usr/lib/libundertrace.a" -o "$work/static"
echo '#include <undertrace.h>' >"$work/header.cc"
# shellcheck disable=SC2046
check 'C++ takes the header' g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags undertrace) "$work/header.cc"
names=$(sed -n 's/^ *\(undertrace_[a-z_]*\);/\1/p' lib/undertrace.map | sort)
same 'the shared library gives out its names, versioned' \
    "$(nm -D --defined-only "$root/usr/lib/libundertrace.so" | awk '$2 == "T" { print $3 }')" "${names//$'\n'/@@UNDERTRACE_0.1$'\n'}@@UNDERTRACE_0.1"
same 'and no others' "$(nm -D --defined-only "$root/usr/lib/libundertrace.so" | awk '$2 != "T" { print $3 }')" UNDERTRACE_0.1
same 'nor does the archive' "$(nm -g --defined-only "$root/usr/lib/libundertrace.a" | awk 'NF == 3 { print $3 }' | sort)" "$names"
same 'the manual page has no mistake' "$(man --warnings=all -l "$root/usr/share/man/man3/libundertrace.3" 2>&1 >/dev/null)" ''

# Offset, name, and bits, address or CR3, with which the library's lines are compared. The last IP is kept here as the manual says.
dump_words() {
    build/undertrace dump "$1" --cpu "$2" | awk '
        /^\[/ { next }
        $2 == "psb" { last = "0000000000000000" }
        $2 ~ /^tnt/ { print $1, $2, $3; next }
        $2 ~ /^(tip|fup)/ {
            known = $4; gsub(/\?/, "", known)
            if (known == "") { print $1, $2; next }
            last = substr(last, 1, 16 - length(known)) known
            print $1, $2, last; next
        }
        $2 == "pip" { print $1, $2, $3 ($4 == "nr" ? " nr" : ""); next }
        { print $1, $2 }'
}

# Blocks, joined with the list of instructions, must be it: each begins and ends where the list says.
blocks_agree() {
    awk 'NR == FNR { ip[NR] = $1; next }
        { if (ip[at + 1] != $1 || ip[at + $4] != $2 || $3 <= $2) { print "block " FNR " is not at instruction " at + 1; exit }
          at += $4 }
        END { if (at != NR - FNR) print at " instructions in blocks, " NR - FNR " in all" }' "$work/instructions" "$work/blocks"
}

# compare NAME CAPTURE CPU
compare() {
    local name="$1, CPU $3" capture=$2 cpu=$3 what
    build/undertrace decode "$capture" --cpu "$cpu" --branches "$work/branches.decode" >"$work/sums" 2>"$work/decode.log"
    build/undertrace decode "$capture" --cpu "$cpu" --instructions "$work/instructions.decode" >/dev/null 2>&1
    dump_words "$capture" "$cpu" >"$work/packets.decode"
    for what in branches instructions packets blocks lost timed bounds spaces; do
        "$work/shared" "$capture" "$cpu" $what >"$work/$what" || fail "$name: $what" "exit code $?"
    done
    for what in branches instructions packets; do
        check "$name: $(wc -l <"$work/$what") $what are those of the host tool" cmp "$work/$what" "$work/$what.decode"
    done
    check "$name: $(wc -l <"$work/blocks") blocks are the instructions" test -z "$(blocks_agree)"
    same "$name: what is lost is what decode could not decode" "$(grep -vc recorded: "$work/lost")" \
        "$(sed -n 's/^decode gaps *\([0-9,]*\), .*/\1/p' "$work/sums" | tr -d ,)"
    same "$name: recorded gaps are reported" "$(grep -c recorded: "$work/lost")" \
        "$(build/undertrace info "$capture" --json | jq "[.gaps[] | select(.cpu == $cpu)] | length")"
    "$work/static" "$capture" "$cpu" branches 7 >"$work/parts"
    check "$name: seven parts in seven threads are the whole" cmp "$work/parts" "$work/branches"
    cut -d ' ' -f 2- "$work/timed" >"$work/untimed"
    check "$name: one by one they are the same" cmp "$work/untimed" "$work/branches"
    # No branch must have been before the one before it.
    same "$name: $(wc -l <"$work/bounds") bounds allow the order" "$(awk '$1 > earliest { earliest = $1 }
        $2 < earliest { print "line " FNR ": " $2 " is before " earliest; exit }
        END { if (NR == 0) print "none" }' OFMT=%.0f CONVFMT=%.0f "$work/bounds")" ''
    # Each CR3 is the payload of a PIP, in the order of the trace.
    same "$name: address spaces are those of PIP packets" "$(awk 'NR == FNR { if ($2 == "pip") { sub(",", "", $3); cr3[++n] = $3 }; next }
        $1 == "ffffffffffffffff" { next }
        { while (++at <= n && cr3[at] != $1); if (at > n) { print "line " FNR " of spaces: " $1; exit } }' "$work/packets" "$work/spaces")" ''
}

for capture in "$@"; do
    name=$(basename "$(dirname "$capture")")
    nr_cpus=$(build/undertrace info "$capture" --json | jq '.streams | length')
    for ((cpu = 0; cpu < nr_cpus; cpu++)); do compare "$name" "$capture" "$cpu"; done
    if [ "$nr_cpus" -eq 1 ]; then
        build/undertrace decode "$capture" --merged "$work/merged" >/dev/null 2>&1
        # There time never goes back; --merged has no time that decreases.
        same "$name: the times are those of --merged" \
            "$(awk '{ if ($1 + 0 > most) most = $1; print most + 0, 0, $2, $3 }' OFMT=%d CONVFMT=%d "$work/timed" | cmp - "$work/merged" 2>&1)" ''
    fi
    "$work/example" "$capture" >"$work/example.txt"
    same "$name: the example counts each CPU's branches" "$(awk '{ sum += $3 } END { print sum }' "$work/example.txt")" \
        "$(build/undertrace report "$capture" --json "$work/report.json" >/dev/null 2>&1; jq .branches "$work/report.json")"
done

# Foreign traces: what was executed is what the one who made them up says, and what decode lists.
base=0x401000
for seed in 1 2 3; do
    build/tools/foreign_make $seed "$work/foreign"
    export IMAGE=$work/foreign.bin@$base
    "$work/shared" "pt:$work/foreign.pt" 0 instructions >"$work/instructions"
    check "seed $seed, raw packets: $(wc -l <"$work/instructions") instructions" cmp "$work/instructions" "$work/foreign.walk"
    build/undertrace decode --pt "$work/foreign.pt" --image "$IMAGE" --branches "$work/branches.decode" >/dev/null
    "$work/static" "pt:$work/foreign.pt" 0 branches 3 >"$work/branches"
    check "seed $seed, raw packets: branches in three parts" cmp "$work/branches" "$work/branches.decode"
    unset IMAGE
    build/tools/perfdata_wrap "$work/foreign.pt" 0 "$(stat -c %s "$work/foreign.pt")" "$work/perf.data" "$(realpath "$work/foreign.bin")" \
        $base 0x2001
    "$work/shared" "perf:$work/perf.data" 0 instructions >"$work/instructions"
    check "seed $seed, perf.data: instructions" cmp "$work/instructions" "$work/foreign.walk"
done
IMAGE=$work/foreign.bin@nowhere "$work/shared" "pt:$work/foreign.pt" 0 branches >"$work/none" 2>&1
same 'an image without an address is refused, in one line' "$? $(wc -l <"$work/none")" '1 1'
MTC_FREQ=16 "$work/shared" "pt:$work/foreign.pt" 0 branches >"$work/none" 2>&1
same 'an MTCFreq that no CPU has is refused, in one line' "$? $(cat "$work/none")" '1 mtc_freq must be 0 to 15'
SIZE=0 "$work/shared" "pt:$work/foreign.pt" 0 branches >"$work/none" 2>&1
same 'a structure without its size is refused, in one line' "$? $(cat "$work/none")" '1 the size of undertrace_foreign is not set'
RANGE="0x401000 0x400fff 1" "$work/shared" "pt:$work/foreign.pt" 0 branches >"$work/none" 2>&1
same 'a range that ends before it begins is refused, in one line' "$? $(cat "$work/none")" '1 a range ends before it begins'

# Each is the host tool's option of that name: what is listed is another thing with it than without.
# with NAME SETTING SOURCE OPTION...      SETTING: as list reads it
with() {
    local name=$1 setting=$2 source=$3
    shift 3
    "$work/shared" "$source" 0 branches >"$work/without" 2>&1
    env "$setting" "$work/shared" "$source" 0 branches >"$work/branches" 2>&1
    build/undertrace decode "$@" --branches "$work/branches.decode" >/dev/null 2>&1
    check "$name: as the host tool reads it" cmp "$work/branches" "$work/branches.decode"
    check "$name: which is another thing than without it" test "$(cat "$work/branches")" != "$(cat "$work/without")"
}
# PSB, MODE.Exec, PSBEND, TIP.PGE at the range's begin; a JMP out of it; TIP.PGD without IP.
printf '\x02\x82%.0s' 1 2 3 4 5 6 7 8 >"$work/range.pt"
printf '\x99\x01\x02\x23\x71\x00\x10\x40\x00\x00\x00\x01' >>"$work/range.pt"
printf '\xeb\x0e\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90' >"$work/range.bin"
export IMAGE=$work/range.bin@$base
with 'an IP range' 'RANGE=0x401000 0x40100f 1' "pt:$work/range.pt" --pt "$work/range.pt" --image "$IMAGE" \
    --filter:addr1_cfg 1 --filter:addr1_a 0x401000 --filter:addr1_b 0x40100f
unset IMAGE
mkdir "$work/files"
tests/rig/perf_corpus.sh "$work/files/c"
export ROOT=$work/files
with 'a buffer' BUFFER=2 perf:tests/fuzz/corpus/perf/two --perf tests/fuzz/corpus/perf/two --buffer 1 --symfs "$ROOT"
with 'a program' PID=2 perf:tests/fuzz/corpus/perf/two --perf tests/fuzz/corpus/perf/two --pid 2 --symfs "$ROOT"
unset ROOT
"$work/shared" perf:tests/fuzz/corpus/perf/two 0 lost >"$work/lost"
same 'perf.data of two buffers: what is lost is an AUX record that was cut' "$(sed -n 's/.*recorded: //p' "$work/lost")" 'output stopped'
"$work/shared" "perf:$work/foreign.pt" 0 branches >"$work/none" 2>&1
same 'and what is no perf.data' "$? $(wc -l <"$work/none")" '1 1'

"$work/shared" "$work/nowhere" 0 branches >"$work/none" 2>&1
same 'what is no capture is said, in one line' "$? $(wc -l <"$work/none")" '1 1'
"$work/shared" "$1" 200 branches >"$work/none" 2>&1
same 'and a CPU without a trace' "$? $(cut -d ' ' -f 1 "$work/none")" '1 -3'
"$work/shared" "$1" 0 packets 2 >"$work/none" 2>&1
same 'and what cannot be had' "$? $(cut -d ' ' -f 1 "$work/none")" '1 -5'
done_testing
