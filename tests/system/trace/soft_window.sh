#!/bin/bash
# pt=soft while the guest runs: pauses, other windows, and what is left of a window when the trace has come to its end. Commands
# come at emulated times, and are heard within 0.1 s where nothing is stepped.
. tests/system/lib.sh

export PTMODEL=profile=none MEMORY=256 QUIET=100 MOST=3000 IPS=5000000
sent='rate=0 latency=0'

listed() {
    od -An -v -t x8 -w16 "$work/$1/branches.bin" | cut -c 2-
}
decoded() {
    build/undertrace decode "$work/$1/capture" --branches - 2>"$work/$1/decode.log" | grep -E '^[0-9a-f]{16} ' >"$work/$1/decoded"
}
# result BOOT NUMBER: the answer to a command.
result() {
    LC_ALL=C grep -a "" "$work/$1/capture/events.bin" | tr -d '\0' |
        awk -v n="$2" '$0 ~ "command [0-9]+$" { here = $NF == n } here && $1 == "result" { sub("^[^ ]* ", ""); print; exit }'
}
# pieces BOOT: the decoded branches as pieces of the list of all, in order: the length of each. A piece begins where 40
# branches are the same.
pieces() {
    awk 'FILENAME == ARGV[1] { piece[++n] = $0; next } { all[++m] = $0 }
        END {
            for (i = 1; i <= n; i += length_) {
                for (at++; at <= m; at++) {
                    for (length_ = 0; i + length_ <= n && piece[i + length_] == all[at + length_]; length_++);
                    if (length_ >= 40) break
                }
                if (at > m) { print "none from " i " on"; exit }
                print length_
                at += length_ - 1
            }
        }' "$work/$1/decoded" <(listed "$1") | tr '\n' ' '
}

# about IS SHOULD: branches after a piece may by chance equal its continuation.
about() { [ "${1:-0}" -ge "$2" ] && [ "$1" -lt $(($2 + 40)) ]; }

# Stepped, at full speed, stepped: all but the first 300 branches, which take some 2 s, is the kernel's loop, 3 s at full speed.
WIRE="$sent at=2700000:set:pt.branches=500 at=3300000:set:pt.branches=off at=3500000:pause at=3800000:resume at=4000000:set:pt.branches=350" \
    BRANCHES=1 check 'levels runs to its end while commands come' \
    boot commands build/guests/levels.bzImage '' 'kernel=2500000 user=10' 'channel=e1000 pt.branches=300'
console_has 'and finds itself in order' commands 'levels: ok'
for number in 1 2 3 4 5; do same "command $number is carried out" "$(result commands $number)" ok; done
check 'what was traced is decoded' decoded commands
read -r first second third fourth rest <<<"$(pieces commands)"
check "pt.branches= starts again with each set: $first and $second are the first pieces of the list" \
    eval 'about "$first" 300 && about $((first + second)) 800'
check "then there is one up to the pause, $third, one after it, $fourth, and no more" \
    eval '[ "${third:-0}" -gt 100 ] && [ "${fourth:-0}" -gt 350 ] && [ -z "$rest" ]'
same 'the pause is a gap' "$(info commands '[.gaps[].cause] | join(" ")')" command
at_most 'and the rest is full speed: steps' "$(truth commands exit_37)" $(($(truth commands guest_instructions) / 100))

# Another window: pages that were executed before are guarded from then on.
work_at=$(nm build/guests/levels.elf | awk '$3 == "kernel_work" { print "0x" $1 }')
range=$(printf 0x%x-0x%x "$work_at" $((work_at + 0xfff)))
WIRE="$sent at=6000000:set:pt.os=on+pt.range0=filter:$range+pt.branches=400 at=6700000:set:pt.range0=off+pt.user=off+pt.branches=700" \
    BRANCHES=1 check 'levels runs to its end while its window moves' \
    boot moves build/guests/levels.bzImage '' 'kernel=2500000 user=10' 'channel=e1000 pt.os=off'
console_has 'and finds itself in order' moves 'levels: ok'
for number in 1 2; do same "command $number is carried out" "$(result moves $number)" ok; done
check 'what was traced is decoded' decoded moves
awk -v from="${work_at#0x}" '$1 >= from && substr($1, 1, 13) == substr(from, 1, 13)' "$work/moves/decoded" >"$work/moves/kernel"
mv "$work/moves/kernel" "$work/moves/decoded"
read -r first second rest <<<"$(pieces moves)"
check "each window yields as many branches as it may: $first and $second" \
    eval 'about "$first" 400 && [ $((first + second)) = 1100 ] && [ -z "$rest" ]'
at_most 'and after them all pages are at full speed: VM exits' "$(truth moves exits)" $(($(truth moves guest_instructions) / 50))

# From an address on: nothing is stepped before, but on its page; and where the CPU has PT, nothing is traced.
start=$(nm build/guests/branches.elf | awk '$3 == "deep" { print $1 }')
listed_from_start() { listed "$1" | awk -v start="$start" 'on { print } $2 == start { on = 1 }'; }
WIRE=$sent BRANCHES=1 check 'branches runs with a start' \
    boot start build/guests/branches.bzImage '' '' "channel=e1000 pt=soft pt.start=0x$start pt.branches=500"
check 'what was traced is decoded' decoded start
same 'the first 500 branches from there on' "$(sha256sum <"$work/start/decoded")" "$(listed_from_start start | head -n 500 | sha256sum)"
WIRE=$sent BRANCHES=1 check 'branches runs with a start that it does not come to' \
    boot never build/guests/branches.bzImage '' '' 'channel=e1000 pt=soft pt.start=0x123456'
same 'nothing is traced' "$(info never '[.streams[].end["trace_bytes"]] | add')" 0
at_most 'nothing is stepped' "$(truth never exit_37)" 0
WIRE=$sent BRANCHES=1 PTMODEL=profile=skylake check 'branches runs with a start where the CPU has PT' \
    boot hard build/guests/branches.bzImage '' '' "channel=e1000 pt.start=0x$start"
check 'what was traced is decoded' decoded hard
check "all branches from there on ($(wc -l <"$work/hard/decoded"))" cmp "$work/hard/decoded" <(listed_from_start hard)
same 'what comes before is no gap' "$(info hard '.gaps | length')" 0

# A trace that has come to its end leaves no page guarded.
fibonacci=$(nm build/guests/branches.elf | awk '$3 == "fibonacci" { print "0x" $1 }')
for limit in off 100; do
    WIRE=$sent check "branches runs with a range, pt.branches=$limit" boot limit$limit build/guests/branches.bzImage '' '' \
        "channel=e1000 pt.range0=filter:$(printf 0x%x-0x%x "$fibonacci" $((fibonacci + 0x4f))) pt.branches=$limit"
done
at_most 'after the limit there are no more exits: of all' "$(truth limit100 exits)" $(($(truth limitoff exits) / 2))
done_testing
