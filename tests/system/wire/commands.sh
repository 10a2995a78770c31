#!/bin/bash
# Commands from the receiver: each does what it says and is answered; bad and forged ones are ignored and counted.
. tests/system/lib.sh

# answer BOOT NUMBER NAME: a value of the answer to a command. Answers are texts in events.bin.
answer() {
    LC_ALL=C grep -a "" "$work/$1/capture/events.bin" | tr -d '\0' |
        awk -v n="$2" -v name="$3" '$0 ~ "command [0-9]+$" { here = $NF == n } here && $1 == name { sub("^[^ ]* ", ""); print; exit }'
}

# outside_gaps NAME BOOT
outside_gaps() {
    local name=$1 dir=$work/$2
    if ! build/undertrace verify "$dir/capture" "$dir/truth.bin" --json "$dir/verify.json" >"$dir/verify.log" 2>&1; then
        fail "$name" "$(tail -n 8 "$dir/verify.log")"
    elif jq -e '.matched > 0 and .matched + .branches_in_gaps == .branches' "$dir/verify.json" >/dev/null; then
        pass "$name ($(jq -r '"\(.matched) compared, \(.branches_in_gaps) in gaps"' "$dir/verify.json"))"
    else
        fail "$name" "$(cat "$dir/verify.json")"
    fi
}

words='at=100000:status at=150000:pause at=180000:pause at=200000:damaged-resume at=210000:foreign-resume
at=220000:old-resume at=250000:status at=260000:again-status at=280000:resume at=300000:resume at=350000:snapshot
at=400000:set:policy=drop+pt.retc=off at=420000:set:pt.region=4K at=430000:set:pt.mtc=77'
WIRE=$(tr '\n' ' ' <<<"$words") check 'load runs to power-off while commands come' boot_guest all load 'channel=e1000 net.mtu=9000'
same 'status is answered' "$(answer all 1 opcode) $(answer all 1 result) $(answer all 1 state)" 'status ok tracing'
same 'pause pauses' "$(answer all 2 opcode) $(answer all 2 result) $(answer all 2 state)" 'pause ok paused'
same 'a second pause is refused' "$(answer all 3 result)" 'tracing is paused already'
same 'damaged, forged and old commands do nothing' "$(answer all 7 state)" paused
same 'and are counted' "$(answer all 7 commands) $(answer all 7 commands_bad)" '4 3'
same 'resume is answered' "$(answer all 8 opcode) $(answer all 8 result)" 'resume ok'
same 'a repeated command is not carried out again' "$(answer all 8 commands) $(answer all 8 commands_repeated)" '5 1'
same 'a second resume is refused, tracing continues' "$(answer all 9 result), $(answer all 9 state)" \
    'no command has paused tracing, tracing'
same 'snapshot hands over all' "$(answer all 10 result) $(answer all 10 kept)" 'ok 0'
same 'a policy and a filter change while the guest runs' \
    "$(answer all 11 result) $(answer all 11 policy) $((($(answer all 11 rtit_ctl) >> 11) & 1))" 'ok drop 1'
same 'what cannot change is refused' "$(answer all 12 result)" \
    'bad option "pt.region=4K": expected an option that can change while the guest runs'
same 'so is a bad value' "$(answer all 13 result | grep -c 'pt.mtc=77')" 1
same 'one gap, by the pause' "$(gaps all '.cause == "command"')" 1
outside_gaps 'outside of it all equals the truth' all

ring='channel=e1000 net.mtu=9000 policy=ring pt.region=64K pt.regions=4'
WIRE='at=200000:snapshot at=300000:set:policy=stall' check 'policy=ring, a snapshot, then policy=stall' \
    boot_guest ring load "$ring"
same 'the snapshot sends what was kept' "$(answer ring 1 result) $(answer ring 1 kept)" 'ok 0'
same 'gaps before it and after it' "$(gaps ring '.cause == "ring"')" 2
outside_gaps 'both parts equal the truth' ring
same 'from the change on nothing is missing' "$(info ring '.gaps[-1].cause')" ring

WIRE='at=200000:set:policy=drop rate=10' check 'policy=stall on a slow wire, then policy=drop' \
    boot_guest slow load 'channel=e1000 net.mtu=9000 pt.region=64K pt.regions=4'
same 'the command is heard while the guest waits' "$(answer slow 1 result) $(answer slow 1 policy)" 'ok drop'
outside_gaps 'outside the gaps all equals the truth' slow

# With two CPUs each carries out commands: a pause is a gap on both, and both continue after it. Unequal halves of the
# rings stall, then drop.
two='channel=e1000 net.mtu=9000 pt.region=16K pt.regions=4'
MEMORY=256 QUIET=3 CPUS=2 WIRE='at=50000:pause at=80000:resume at=100000:snapshot at=400000:set:policy=drop rate=10' \
    check 'two CPUs run to power-off while commands come and their rings fill' \
    boot two build/guests/smp.bzImage '' 'cpus=2 rounds=400000' "$two"
for cpu in 0 1; do
    same "CPU $cpu has paused once" "$(gaps two ".cause == \"command\" and .cpu == $cpu")" 1
done
same 'and they have stalled' "$([ "$(jq '[(.ends // [.end])[] | .stalls] | add' "$work/two/capture/meta.json")" -gt 0 ] && echo yes)" yes
outside_gaps 'outside of their gaps all equals the truth' two

# The receiver's own way, at times that are the host's.
boot_guest live load 'channel=e1000 net.mtu=9000' >"$work/live.log" 2>&1 &
boot=$!
for _ in $(seq 400); do [ -S "$work/live/capture/control" ] && break; sleep 0.05; done
check 'undertrace control status' build/undertrace control "$work/live/capture" status
same 'a refused one exits with 2' "$(build/undertrace control "$work/live/capture" set pt.foo=1 >/dev/null; echo $?)" 2
wait $boot
same 'the boot ends as always' "$? $(cat "$work/live.log")" '0 '
exact 'live: decoded branches equal the truth' live
same 'the socket is gone' "$(ls "$work/live/capture" | grep -c control)" 0

# The same over a serial line.
UART_SOCKET=1 CHANNEL=uart IPS=4000000 boot_guest line load 'channel=uart policy=ring pt.region=16K pt.regions=4' >"$work/line.log" 2>&1 &
boot=$!
for _ in $(seq 400); do [ -S "$work/line/capture/control" ] && break; sleep 0.05; done
check 'serial line: undertrace control status' build/undertrace control "$work/line/capture" status
wait $boot
same 'serial line: the boot ends as always' "$? $(cat "$work/line.log")" '0 '
outside_gaps 'serial line: outside the gaps all equals the truth' line
done_testing
