#!/bin/bash
# perf.data as Linux's own intel_pt driver and perf make it, recorded in the guest without the hypervisor: of two CPUs at
# once, with programs at one address that come and go; of one thread; snapshots. What `undertrace decode --perf` reads of
# each is compared with perf's own decoder, instruction by instruction.
. tests/system/lib.sh

tool=build/undertrace
program() {
    gcc -std=c11 "$1" -g -static -nostdlib -fno-stack-protector -fcf-protection=none -fno-builtin -mstackrealign \
        -o "$work/$2" tests/rig/perf/workload.c
}
check 'a program' program -O1 workload
check 'and another at its address' program -O2 workload2
check 'an initrd with perf' tests/rig/perf/initrd.sh "$work/workload" "$work/root" "$work/initrd" "$work/workload2"

# The vDSO's code is in no file.
wide_boot() {
    ELF='' KERNEL=build/guest/vmlinuz INITRD=$work/initrd CMDLINE="$CMDLINE nmi_watchdog=0 vdso=0 perf=wide" OPTIONS='' \
        tests/rig/iso.sh "$work/wide.iso" &&
        ISO=$work/wide.iso CPUS=2 CHANNEL=none PTMODEL='profile=skylake, pmu=4' tests/rig/boot.sh "$work/wide" &&
        tar -x -C "$work" -f "$work/wide/uart.bin"
}
check 'Debian boots bare with two CPUs to power-off' wide_boot
console_has 'perf records all that runs' wide 'perf: wide.data: 288 lines'
console_has 'and a thread' wide 'perf: thread.data: 24 lines'
console_has 'and snapshots' wide 'perf: snapshots.data: 48 lines'

# decode NAME BUFFER WORDS...: what we read of a buffer. Where a snapshot has wrapped it begins in the middle of packets: those
# before its first PSB are lost, and nothing else may be.
decode() {
    local name=$1 buffer=$2 status=0
    shift 2
    "$tool" decode --perf "$work/$name.data" --symfs "$work/root" ${buffer:+--buffer "$buffer"} "$@" >"$work/$name.sums" \
        2>"$work/$name.err" || status=$?
    [ $status = 0 ] || {
        [ "$name" = snapshots ] && [ "$(sums "$name" 'decode gaps')" = "1," ] && grep -q 'no PSB before' "$work/$name.err"
    }
}

# sums NAME WORDS: the number after these words.
sums() {
    sed -n "s/^$2  *\([0-9,]*\).*/\1/p" "$work/$1.sums"
}

# agrees NAME BUFFER CPU LEAST: with perf, which lists the instructions of that CPU, or of all; so many at least.
agrees() {
    local name=$1 buffer=$2 cpu=$3 least=$4
    check "$name, buffer $buffer: decodes" decode "$name" "$buffer" --instructions "$work/$name.ours"
    perf script -i "$work/$name.data" --symfs "$work/root" --itrace=i1i ${cpu:+-C "$cpu"} -F ip 2>"$work/$name.perf.err" |
        tr -d ' ' >"$work/$name.perf"
    check "$name, buffer $buffer: $(wc -l <"$work/$name.perf") instructions as perf has them" \
        cmp "$work/$name.perf" <(sed 's/^0*//' "$work/$name.ours")
    check "$name, buffer $buffer: $least instructions at least" [ "$(wc -l <"$work/$name.perf")" -ge "$least" ]
}
agrees wide 0 0 10000000
first=$(wc -l <"$work/wide.ours")
agrees wide 1 1 10000000
second=$(wc -l <"$work/wide.ours")
agrees thread 0 '' 2000000
agrees snapshots 0 0 50000
agrees snapshots 1 1 50000

# All buffers, as a program sees its CPUs: no instruction is lost where one follows the other.
check 'both buffers in one order of time' decode wide '' --branches "$work/all"
same 'have the instructions of both' "$(sums wide instructions | tr -d ,)" $((first + second))

# With only one process's mappings, the other's code at the same address is unknown: it would decode to other instructions.
"$tool" decode --perf "$work/wide.data" --symfs "$work/root" --buffer 0 --pid 999999 --instructions "$work/none" \
    >"$work/none.sums" 2>&1
same 'of a process that never ran no instruction is known' "$(wc -l <"$work/none")" 0

# Without its files everything is missing, and said.
decode_bare() { "$tool" decode --perf "$work/wide.data" --symfs "$work/nowhere" --buffer 0 2>&1; }
same 'files that are missing are said' "$(decode_bare | grep -c 'of missing files')" 1

done_testing
