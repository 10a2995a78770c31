#!/bin/bash
# How fast captures are decoded: our engine and libipt's, one thread, cold, with a call for each run of branches. Processor
# time of this machine, both in one run: what holds on others is the ratio. The guests are those of bench_guests.sh, and one
# that does hardly anything but indirect branches.
set -eu

work=build/bench/decode
rm -rf "$work"
mkdir -p "$work"
ELF=build/undertrace.elf KERNEL=build/guests/load.bzImage INITRD='' CMDLINE='' OPTIONS='channel=e1000 net.mtu=9000' \
    tests/rig/iso.sh "$work/load.iso"
ISO=$work/load.iso MEMORY=256 tests/rig/boot.sh "$work/load"

echo
echo '                                  counted  packets, MB/s             flow, MB/s              ns a'
echo 'guest             MB       branches     MB/s     ours   libipt  ratio     ours   libipt  ratio  branch  branches'
for guest in guests/debian guests/userland guests/storm decode/load; do
    build/tools/decode_bench "${guest#*/}" "build/bench/$guest/capture"
done
