#!/bin/bash
# What tracing an ordinary system costs: Debian's boot with one CPU and with two, a user space, a storm of processes. One column
# for each, with counts of the emulated CPUs, which repeat exactly; no times. Each column includes a kernel's boot: the first
# column has nothing else.
set -eu

work=build/bench/guests
rm -rf "$work"
mkdir -p "$work"

# boot NAME INITRD WORDS: WORDS go to the guest's command line.
boot() {
    ELF=build/undertrace.elf KERNEL=build/guest/vmlinuz INITRD=$2 CMDLINE="console=ttyS0 panic=-1 $3" \
        OPTIONS='channel=e1000 net.mtu=9000' tests/rig/iso.sh "$work/$1.iso"
    ISO=$work/$1.iso MEMORY=512 tests/rig/boot.sh "$work/$1"
    rm "$work/$1.iso"
}
CPUS=1 boot kernel build/guest/userland userland=none
CPUS=1 boot debian build/guest/initrd ''
CPUS=2 boot debian_smp build/guest/initrd ''
CPUS=1 boot userland build/guest/userland ''
CPUS=1 boot storm build/guest/userland userland=storm
columns='kernel:0 debian:0 debian_smp:0 debian_smp:1 userland:0 storm:0'

# row TEXT WAY ARGUMENT: one line; WAY GUEST CPU ARGUMENT prints the figure.
row() {
    printf '%-30s' "$1"
    for column in $columns; do
        printf ' %14s' "$("$2" "${column%:*}" "${column#*:}" "$3")"
    done
    echo
}
truth() {
    tests/rig/truth.sh "$work/$1/truth.bin" "$3" "$2"
}
guest_name() {
    case $1 in
    kernel) echo "boot only" ;;
    debian) echo "Debian" ;;
    debian_smp) echo "of 2 CPUs: $2" ;;
    *) echo "$1" ;;
    esac
}
# per WHAT of so many guest instructions: "root_instructions 100" is a share in percent.
per() {
    local what of
    read -r what of <<<"$3"
    awk -v n="$(truth "$1" "$2" "$what")" -v guest="$(truth "$1" "$2" guest_instructions)" -v of="$of" \
        'BEGIN { printf "%.2f\n", n * of / guest }'
}
# Root instructions in % of the guest's after the boot.
after_boot() {
    [ "$1" = userland ] || [ "$1" = storm ] || return 0
    awk -v root="$(truth "$1" 0 root_instructions)" -v root0="$(truth kernel 0 root_instructions)" \
        -v guest="$(truth "$1" 0 guest_instructions)" -v guest0="$(truth kernel 0 guest_instructions)" \
        'BEGIN { printf "%.2f\n", (root - root0) * 100 / (guest - guest0) }'
}
# Exits by exceptions and NMIs are page faults, except those caused by PMIs. A PMI in root operation causes no exit.
# Of the machine: all that was sent, with Ethernet's framing, for each byte that all CPUs traced.
wire_share() {
    [ "$2" = 0 ] || return 0
    awk -v wire="$(tests/rig/wire.sh "$work/$1" bytes)" -v trace="$(tests/rig/truth.sh "$work/$1/truth.bin" trace_bytes)" \
        'BEGIN { printf "%.3f\n", wire / trace }'
}
records() {
    build/undertrace info --json "$work/$1/capture" | jq ".streams[] | select(.cpu == $2) | .records | $3"
}

echo
row '' guest_name ''
row 'guest instructions' truth guest_instructions
row 'root instructions' truth root_instructions
row '  in % of the guest'"'"'s' per 'root_instructions 100'
row '  after the boot' after_boot ''
row 'VM exits' truth exits
row '  in 1,000,000 instructions' per 'exits 1000000'
row '  page faults, NMIs' truth exit_0
row '  INIT: another CPU calls' truth exit_3
row '  CPUID' truth exit_10
row '  single steps' truth exit_37
row '  EPT: execute after write, ...' truth exit_48
row '  timer: tables, pt.flush=' truth exit_52
row 'PMIs' truth pmis
row 'trace bytes' truth trace_bytes
row '  bits an instruction' per 'trace_bytes 8'
row 'wire bytes a trace byte' wire_share ''
row 'code pages sent' records .page
row 'mappings sent' records '(.map // .other)'
