#!/bin/bash
# A capture to try the host tool on, without the whole of `make run`: Debian's kernel, unpacked already, which prints little and
# tests nothing, then the usual workload (tests/rig/init) and power-off. `make sample` has built everything by now.
#
# usage: sample.sh [DIR]     DIR (build/sample) has the capture in capture/, and the guest's console in console.txt
# from the environment: INITRD (build/guest/initrd), and the variables of tests/rig/boot.sh
set -eu

build=${BUILD:-build}
dir=${1:-$build/sample}
words='console=ttyS0 panic=-1 quiet cryptomgr.notests lpj=100000 tsc=reliable rodata=off nokaslr mitigations=off random.trust_cpu=on'

mkdir -p "$(dirname "$dir")"
ELF=$build/undertrace.elf KERNEL=$build/guest/moved VMLINUZ=$build/guest/vmlinuz INITRD=${INITRD:-$build/guest/initrd} CMDLINE=$words \
    OPTIONS='channel=e1000 net.mtu=9000' PLATFORM=i386-pc tests/rig/iso.sh "$dir.iso"
CHANNEL=e1000 ISO=$dir.iso tests/rig/boot.sh "$dir"
rm "$dir.iso"
echo "sample: $dir/capture; try: $build/undertrace report $dir/capture --kernel $build/guest/vmlinuz"
