#!/bin/bash
# key=: frames, acknowledgements and commands are authenticated. A wire that damages and repeats loses nothing, forged commands do
# nothing, and a receiver with another key gets no trace.
. tests/system/lib.sh

key=404142434445464748494a4b4c4d4e4f
echo "$key" >"$work/key"
echo 00112233445566778899aabbccddeeff >"$work/other"
cost_of() {
    echo $((1000 * $(truth "$1" root_instructions) / $(truth "$1" trace_bytes)))
}

# The commands of the script have no tag. WIRE's corrupt= inverts any bit.
export RECEIVE="--key $work/key"
WIRE='drop=2 duplicate=2 reorder=2 corrupt=2 at=50000:pause at=100000:set:policy=drop' \
    check 'a wire that damages and repeats, forged commands, and compressed frames' boot_guest forged load "channel=net key=$key net.compress=lz4"
exact 'decoded branches equal the truth' forged
same 'no forged command was executed' "$(info forged '.gaps | length')" 0
same 'the key is not recorded' "$(grep -c "$key" "$work/forged/capture/events.bin" "$work/forged/console.txt" | cut -d: -f2 | paste -sd ' ')" '0 0'
same 'damaged datagrams were dropped' "$(grep -c 'ignored: [1-9][0-9,]* damaged frame' "$work/forged/receive.log")" 1

WIRE='rate=0 latency=0' check 'a fast wire' boot_guest fast load "channel=net key=$key"
exact 'fast: decoded branches equal the truth' fast
at_most 'SipHash costs at most so many thousandths of a root instruction for each trace byte' "$(cost_of fast)" 4800

boot_guest live load "channel=net key=$key net.mtu=9000" >"$work/live.log" 2>&1 &
boot=$!
for _ in $(seq 400); do [ -S "$work/live/capture/control" ] && break; sleep 0.05; done
check 'undertrace control is authenticated by the receiver' build/undertrace control "$work/live/capture" status
wait $boot
same 'the boot ends as always' "$? $(cat "$work/live.log")" '0 '

RECEIVE="--key $work/other --timeout 60" boot_guest other branches "channel=net key=$key net.wait=1" >"$work/other.log" 2>&1
console_has 'another key: the guest boots without a channel' other 'channel=net: no answer with this key= from the receiver 10.0.2.2 within 1 s'
same 'and the receiver gets nothing' "$([ -e "$work/other/capture/events.bin" ] && echo something)" ''
UNTIL='key= authenticates channel=net only' CHANNEL=uart RECEIVE='' IPS=4000000 boot_guest line branches "channel=uart key=$key" >"$work/line.log" 2>&1
console_has 'channel=uart refuses key=' line 'channel=uart: key= authenticates channel=net only'
done_testing
