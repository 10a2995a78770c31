#!/bin/bash
# Gaps: what is decoded around them is, branch by branch, what was executed; not one branch more.
. tests/system/lib.sh

# little BYTES NUMBER: as hexadecimal digits, the lowest byte first.
little() {
    printf "%0$((2 * $1))x" "$2" | fold -w 2 | tac | tr -d '\n'
}

# add_gap CAPTURE AT SIZE CAUSE: a gap record (serial/wire/record.h).
add_gap() {
    {
        little 2 4 && little 2 0 && little 4 40 && little 8 "$2" && little 8 0
        little 8 "$2" && little 8 "$3" && little 8 0 && little 8 0 && little 4 "$4" && little 4 0
    } | xxd -r -p >>"$1/events.bin"
}

# copy FROM TO: of a capture, without checksums: what is changed in it is to be met by the decoder.
copy() {
    cp -r "$1" "$2"
    rm -f "$2/checksums"
}

# first_parts NAME BOOT DIR: all that was decoded is in the list of all branches, and part of an interval is included.
first_parts() {
    local name=$1 json=$3.json
    if ! build/undertrace verify "$3" "$work/$2/truth.bin" --branches-truth "$work/$2/branches.bin" --json "$json" \
        >"$3.log" 2>&1; then
        fail "$name" "$(tail -n 8 "$3.log")"
    elif jq -e '.one_by_one == .decoded_branches and .branches_in_parts > 0 and
        .matched + .branches_in_gaps == .branches' "$json" >/dev/null; then
        pass "$name ($(jq -r '"\(.one_by_one) branches, \(.branches_in_parts) of them in parts"' "$json"))"
    else
        fail "$name" "$(cat "$json")"
    fi
}

BRANCHES=1 check 'branches runs to power-off' boot_guest whole branches 'channel=e1000 net.mtu=9000'
exact 'the undamaged trace equals the truth' whole
mapfile -t psbs < <(build/undertrace dump "$work/whole/capture" | awk '$2 == "psb" { print "0x" $1 }')
same 'it has some PSBs' "$([ ${#psbs[@]} -ge 7 ] && echo yes)" yes

# Two in an interval, and one after the next PSB, of bytes that were lost on the wire: zeros replace them.
two=$work/two
copy "$work/whole/capture" "$two"
add_gap "$two" $((psbs[2] + 1000)) 0 6
add_gap "$two" $((psbs[2] + 9000)) 0 6
add_gap "$two" $((psbs[3] + 700)) 1000 3
dd if=/dev/zero of="$two/cpu0.pt" bs=1 seek=$((psbs[3] + 700)) count=1000 conv=notrunc status=none
first_parts 'two gaps between two PSBs, and one after the next' whole "$two"
same 'two gaps and one: two intervals are touched, a part of each is decoded' \
    "$(jq -c '[.in_gaps, .parts, .intervals - .equal_intervals]' "$two.json")" '[2,2,2]'
build/undertrace decode "$two" --instructions "$two.instructions" >"$two.decode" 2>&1
same 'two gaps and one: bytes without a PSB before them are reported' \
    "$? $(grep -c '8000 bytes: no PSB before these bytes' "$two.decode")" '2 1'

# At missing offsets there are bytes of other offsets, PSBs included.
junk=$work/junk
copy "$work/whole/capture" "$junk"
at=$((psbs[3] + 500)) size=$((psbs[5] - psbs[3]))
dd if="$work/whole/capture/cpu0.pt" of="$junk/cpu0.pt" bs=1 skip=$((psbs[1] - 300)) seek="$at" count="$size" conv=notrunc status=none
add_gap "$junk" "$at" "$size" 7
first_parts 'overwritten bytes' whole "$junk"
same 'overwritten bytes: three intervals are touched, a part of one is decoded' \
    "$(jq -c '[.in_gaps, .parts, .intervals - .equal_intervals]' "$junk.json")" '[3,1,3]'

# A difference that the hash of the interval does not cover.
flipped=$work/flipped
copy "$two" "$flipped"
offset=$(build/undertrace dump "$flipped" --offset $((psbs[2]))-$((psbs[2] + 900)) |
    awk '$2 == "tnt.8" && length($3) == 6 { n++; if (n == 100) print "0x" $1 }')
byte=0x$(xxd -s "$((offset))" -l 1 -p "$flipped/cpu0.pt")
little 1 $((byte ^ 8)) | xxd -r -p | dd of="$flipped/cpu0.pt" bs=1 seek="$((offset))" conv=notrunc status=none
build/undertrace verify "$flipped" "$work/whole/truth.bin" --branches-truth "$work/whole/branches.bin" >"$flipped.log" 2>&1
same 'one wrong bit before a gap is found' "$? $(grep -c 'branch by branch: the stretch' "$flipped.log")" '1 1'

# Real ones: tracing paused again and again; and a range that the hardware goes round unseen.
WIRE='rate=10' BRANCHES=1 check 'policy=drop on a slow wire: load runs to power-off' \
    boot_guest drop load 'channel=e1000 net.mtu=9000 pt.region=64K pt.regions=4 policy=drop'
first_parts 'what was decoded up to each pause' drop "$work/drop/capture"
BRANCHES=1 check 'a small range: load runs to power-off' \
    boot_guest range load 'channel=e1000 net.mtu=9000 pt.scheme=range pt.region=16K pt.regions=4'
first_parts 'what was decoded up to bytes that were overwritten' range "$work/range/capture"
done_testing
