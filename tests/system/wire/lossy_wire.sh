#!/bin/bash
# A wire that drops, duplicates and reorders datagrams loses nothing, and one that is slow is not taken for one that does.
. tests/system/lib.sh

WIRE='drop=5 seed=1' check 'a wire that drops' boot_guest drop load 'channel=e1000'
exact 'drop: decoded branches equal the truth' drop
WIRE='reorder=10 duplicate=10 seed=2' check 'a wire that reorders and duplicates' boot_guest reorder load 'channel=e1000'
exact 'reorder: decoded branches equal the truth' reorder
WIRE='corrupt=5 seed=3' check 'a wire that corrupts' boot_guest corrupt branches 'channel=e1000'
exact 'corrupt: decoded branches equal the truth' corrupt

# 4 MB at 10 Mbit/s are 3.3 seconds, 165 million emulated instructions: what is sent twice takes as long again.
WIRE='rate=10' check 'a wire much slower than the trace' boot_guest slow load 'channel=e1000'
exact 'slow: decoded branches equal the truth' slow
at_most 'slow: the wait is for the wire' "$(truth slow root_instructions)" 200000000
WIRE='rate=10' check 'the same with little trace memory' boot_guest slow-4K load 'channel=e1000 pt.region=4K'
at_most 'slow: the wait is for the wire with little memory' "$(truth slow-4K root_instructions)" 200000000
# LZ4 makes the guest's trace 2.4 times smaller, with the code pages and all of Ethernet's framing. 12.3 instructions for each byte
# are as long as the wire needs for a fifth of one.
WIRE='rate=10 drop=1 reorder=2 seed=5' check 'the same wire with compressed frames, which loses and reorders some' \
    boot_guest packed load 'channel=net net.compress=lz4'
exact 'compressed: decoded branches equal the truth' packed
same 'compressed: the capture has each byte that the CPU wrote' "$(stat -c %s "$work/packed/capture/cpu0.pt")" "$(truth packed trace_bytes)"
at_most 'compressed: bytes of the wire for 1000 of trace' "$(wire_share packed)" 430
at_most 'compressed: the wait in thousandths of that without' \
    $((1000 * $(truth packed root_instructions) / $(truth slow root_instructions))) 500
build/undertrace info "$work/packed/capture" >"$work/packed/info"
same 'info says by how much' "$(sed -n 's/^  frames were compressed *by lz4: .*, \([0-9.]*\) times fewer$/\1/p' "$work/packed/info" | tr -d .)" \
    "$(awk '$1 == "frames_plain_bytes" { plain = $2 } $1 == "frames_packed_bytes" { printf "%.2f", plain / $2 }' "$work/packed/info" | tr -d .)"

# A wire that is slow, and loses and reorders datagrams too: at least 80 % of what it carries and does not lose is trace. Root mode
# waits no longer than that; there are 50 instructions in a microsecond. tests/unit/serial/test_link.c has more wires.
for wire in 'rate=20 drop=1 reorder=2' 'rate=60 drop=10 reorder=5'; do
    name=${wire// /-} rate=${wire#rate=} loss=${wire#*drop=}
    WIRE="$wire seed=5" check "a wire with $wire" boot_guest "$name" load 'channel=e1000'
    exact "$wire: decoded branches equal the truth" "$name"
    at_most "$wire: root mode waits for the wire only" "$(truth "$name" root_instructions)" \
        $(($(truth "$name" trace_bytes) * 8 * 50 * 100 * 100 / ${rate%% *} / (100 - ${loss%% *}) / 80))
done
done_testing
