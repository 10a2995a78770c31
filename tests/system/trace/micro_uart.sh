#!/bin/bash
# The micro-guests over the emulated serial line. The emulated CPU is slow here, so that the line is fast beside it.
. tests/system/lib.sh

export CHANNEL=uart IPS=4000000
for guest in branches selfmod; do
    check "$guest runs to power-off over the UART" boot_guest $guest $guest 'channel=uart'
    console_has "$guest finds itself in order" $guest "$guest: ok"
    exact "$guest: decoded branches equal the truth" $guest
done
# The same with compressed frames: the line has fewer bytes, the capture has as many.
check 'branches runs to power-off over the UART, compressed' boot_guest packed branches 'channel=uart uart.compress=lz4'
exact 'compressed: decoded branches equal the truth' packed
same 'compressed: the capture has each byte that the CPU wrote' "$(stat -c %s "$work/packed/capture/cpu0.pt")" "$(truth packed trace_bytes)"
at_most 'compressed: bytes of the line in thousandths of those without' \
    $((1000 * $(stat -c %s "$work/packed/uart.bin") / $(stat -c %s "$work/branches/uart.bin"))) 620

# A line that loses one frame of records: whatever the frame contained, decode must not say that all is well.
grep -obUaP 'UTF\x1a\x03\x02' "$work/selfmod/uart.bin" | cut -d : -f 1 >"$work/frames"
while read -r at; do
    length=$(od -A n -t u2 -j $((at + 24)) -N 2 "$work/selfmod/uart.bin")
    { head -c "$at" "$work/selfmod/uart.bin" && tail -c +$((at + 32 + length + 4 + 1)) "$work/selfmod/uart.bin"; } >"$work/less.bin"
    rm -rf "$work/less"
    # Through a pipe, which has an end: a file might grow, and the frame might be the one with the end record.
    # shellcheck disable=SC2002
    cat "$work/less.bin" | build/undertrace receive --uart - --output "$work/less" >/dev/null 2>&1
    build/undertrace decode "$work/less" >/dev/null 2>&1
    echo "$? at $at"
done < <(awk 'NR % 5 == 0' "$work/frames") >"$work/less.log"
same 'frames of records are lost, one at a time' "$(($(wc -l <"$work/less.log") >= 20))" 1
same 'a capture that lacks one is never decoded as if it were complete' "$(grep -c '^0 ' "$work/less.log")" 0
done_testing
