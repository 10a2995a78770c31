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

# decode NAME BUFFER WORDS...: what we read of a buffer, without an error.
decode() {
    local name=$1 buffer=$2
    shift 2
    "$tool" decode --perf "$work/$name.data" --symfs "$work/root" --buffer "$buffer" "$@" >"$work/$name.sums" 2>"$work/$name.err"
}

# agrees NAME BUFFER CPU: with perf, which lists the instructions of that CPU, or of all.
agrees() {
    local name=$1 buffer=$2 cpu=$3
    check "$name, buffer $buffer: decodes" decode "$name" "$buffer" --instructions "$work/$name.ours"
    perf script -i "$work/$name.data" --symfs "$work/root" --itrace=i1i ${cpu:+-C "$cpu"} -F ip 2>"$work/$name.perf.err" |
        tr -d ' ' >"$work/$name.perf"
    check "$name, buffer $buffer: $(wc -l <"$work/$name.perf") instructions as perf has them" \
        cmp "$work/$name.perf" <(sed 's/^0*//' "$work/$name.ours")
    if [ "$(wc -l <"$work/$name.perf")" -gt 100000 ]; then
        pass "$name, buffer $buffer: these are many"
    else
        fail "$name, buffer $buffer: these are many" "$(wc -l <"$work/$name.perf")"
    fi
}
agrees wide 0 0
agrees wide 1 1
agrees thread 0 ''
for buffer in 0 1; do
    "$tool" decode --perf "$work/snapshots.data" --buffer $buffer >/dev/null 2>&1
    [ $? = 1 ] || agrees snapshots $buffer $buffer
done

# Of one process alone the other's code is not known, at the same address: that would be other instructions.
"$tool" decode --perf "$work/wide.data" --symfs "$work/root" --buffer 0 --pid 999999 --instructions "$work/none" >"$work/none.sums" 2>&1
same 'of a process that never ran no instruction is known' "$(wc -l <"$work/none")" 0

# Without its files everything is missing, and said.
decode_bare() { "$tool" decode --perf "$work/wide.data" --symfs "$work/nowhere" --buffer 0 2>&1; }
same 'files that are missing are said' "$(decode_bare | grep -c 'mappings are of files that are not there')" 1

done_testing
