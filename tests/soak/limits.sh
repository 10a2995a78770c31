#!/bin/bash
# A trace of more than 4 GiB, received over UDP as fast as the receiver takes it, and decoded: nothing is lost, and the memory of
# neither grows with its length. tests/system/wire/limits.sh passes the other limits of 32 bits.
#
# By itself, from the top: tests/soak/limits.sh [BYTES]      the trace's length: 5 GB; twice as much is needed on the disk
bytes=${1:-5000000000}
WORK=${WORK:-build/soak/limits}
. tests/system/lib.sh
. tests/rig/boot_lib.sh

check 'load runs to power-off' boot_guest load load 'channel=net net.mtu=9000'
long=$work/long received=$work/received
mkdir "$long"
cp "$work/load/capture"/{events.bin,index,meta.json} "$long"

# repeat BYTES: a trace of about so many bytes. Sets times, how often its last part occurs.
repeat() {
    read -r _ _ times < <(build/tools/trace_repeat "$work/load/capture/cpu0.pt" "$long/cpu0.pt" "$1" 2000000)
}
# decode CAPTURE OPTIONS...: sets branches, and kib, the peak of resident memory.
decode() {
    /usr/bin/time -f %M -o "$work/kib" build/undertrace decode "$@" >"$work/sums" 2>"$work/said"
    kib=$(tail -n 1 "$work/kib")
    branches=$(awk '$1 == "branches" { gsub(",", "", $2); print $2 }' "$work/sums")
}
repeat 1 && decode "$long"
first=$branches
repeat 20000000 && decode "$long"
step=$(((branches - first) / (times - 1)))
repeat "$bytes"
same 'the trace is longer than 4 GiB' $(($(stat -c %s "$long/cpu0.pt") > 1 << 32)) 1

port=$(free_port)
build/undertrace receive --udp "$port" --bind 127.0.0.1 -o "$received" --quiet >"$work/receive.log" 2>&1 &
receiver=$!
until udp_port_is_open "$port" || ! kill -0 $receiver 2>/dev/null; do sleep 0.05; done
# kib_at SHARE: the receiver's memory when so many percent of the trace are received. It waits for it.
kib_at() {
    until [ "$(stat -c %s "$received/cpu0.pt" 2>/dev/null || echo 0)" -ge $((bytes / 100 * $1)) ]; do
        kill -0 $receiver 2>/dev/null || return
        sleep 0.02
    done
    awk '$1 == "VmRSS:" { print $2 }' /proc/$receiver/status
}
build/tools/frames_send "$long" "$port" >"$work/sent" &
early=$(kib_at 5)
late=$(kib_at 95)
wait $!
wait $receiver
same 'the receiver has all of it' $? 0
check 'byte for byte' cmp "$long/cpu0.pt" "$received/cpu0.pt"
at_most "KiB of the receiver after 95 % of the trace, $early KiB after 5 %" "${late:-none}" $((early + 1024))
for threads in 1 2; do
    decode "$received" --threads $threads
    same "$threads threads: all branches are decoded" "$branches" $((first + (times - 1) * step))
    at_most "$threads threads: KiB at most" "$kib" $((96 * 1024))
done
size=$(stat -c %s "$received/cpu0.pt")
same 'packets after 4 GiB have their offsets' \
    "$(build/undertrace dump "$received" --offset $((size - 100000))- | awk '{ n += length($1) == 16 && $1 >= "0000000100000000" } END { print (n > 1000), (n == NR) }')" '1 1'
rm -r "$long" "$received"
done_testing
