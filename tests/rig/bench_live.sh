#!/bin/bash
# Does decoding keep up with receiving? A capture is sent again over UDP on the loopback device, at a given rate and as fast as
# the receiver takes it, into `undertrace receive --decode`. Prints the rate at which it was received, and how long after the end
# of the trace decoding had finished. The sender takes a part of the two processors, too.
#
# usage: bench_live.sh [CAPTURE [RATE...]]      rates in MB/s, 0: as fast as it goes
set -eu

capture=${1:-build/bench/guests/debian/capture}
shift || true
[ $# -gt 0 ] || set -- 50 100 0
work=build/bench/live
rm -rf "$work"
mkdir -p "$work"

. "$(dirname "$0")/boot_lib.sh"

echo
printf '%-10s %12s %10s %14s %22s\n' 'MB/s sent' 'received' 'MB' 'sent again' 'decoded, s after end'
for rate in "$@"; do
    port=$(free_port)
    build/undertrace receive --udp "$port" --bind 127.0.0.1 -o "$work/capture" --decode --quiet >"$work/log" 2>&1 &
    receiver=$!
    until udp_port_is_open "$port" || ! kill -0 $receiver 2>/dev/null; do sleep 0.05; done
    read -r _ bytes received _ again < <(build/tools/frames_send "$capture" "$port" "$rate")
    wait $receiver || {
        cat "$work/log" >&2
        exit 1
    }
    cmp "$work/capture/cpu0.pt" "$capture/cpu0.pt"
    printf '%-10s %12s %10s %14s %22s\n' "$([ "$rate" = 0 ] && echo most || echo "$rate")" "$received" $((bytes / 1000000)) "$again" \
        "$(sed -n 's/.*, \([0-9.]*\) s after the end.*/\1/p' "$work/log")"
    rm -rf "$work/capture"
done
