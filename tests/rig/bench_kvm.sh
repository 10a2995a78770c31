#!/bin/bash
# Side by side: Debian's boot, from the kernel's entry to power-off, as the guest of Undertrace and of KVM, on the same emulated
# CPU. KVM's root mode is a whole Linux and QEMU, from each VM exit to the next VM entry. Its firmware, its boot loader and
# QEMU's own start and end are in it as well; what a guest of a few instructions takes, from an image of the same size, is
# subtracted.
set -eu

work=build/bench/kvm
rm -rf "$work"
mkdir -p "$work"
cmdline='console=ttyS0 panic=-1'

# under_kvm NAME KERNEL INITRD CMDLINE: without our hypervisor, in a Linux with KVM; the emulator's counts are in
# $work/NAME/linux/truth.bin.
under_kvm() (
    WORK=$work/$1
    . tests/nested/lib.sh
    mkdir -p "$work/images"
    ELF='' KERNEL=$2 INITRD=$3 CMDLINE=$4 tests/rig/iso.sh "$work/images/$1.iso"
    nested "$1:1"
    [ "$(cat "$work/$1.1.status")" = 0 ] || {
        cat "$work/$1.1.log" >&2
        exit 1
    }
)
# under_us NAME OPTIONS
under_us() {
    ELF=build/undertrace.elf KERNEL=build/guest/vmlinuz INITRD=build/guest/initrd CMDLINE=$cmdline OPTIONS=$2 \
        tests/rig/iso.sh "$work/$1.iso"
    ISO=$work/$1.iso MEMORY=512 tests/rig/boot.sh "$work/$1/linux"
    rm "$work/$1.iso"
}
under_us off 'pt=off channel=e1000'
under_us traced 'channel=e1000 net.mtu=9000'
cat build/guest/vmlinuz build/guest/initrd >"$work/as-large"
under_kvm ends build/guests/ends.bzImage "$work/as-large" off
under_kvm debian build/guest/vmlinuz build/guest/initrd "$cmdline"

count() {
    tests/rig/truth.sh "$work/$1/linux/truth.bin" "$2"
}
# row TEXT FIELD. The two firmwares' parts are not the same to the last exit: a figure of KVM's may be a little below 0.
row() {
    local off traced kvm
    off=$(count off "$2") traced=$(count traced "$2") kvm=$(($(count debian "$2") - $(count ends "$2")))
    [ "$off $traced $kvm" = '0 0 0' ] || printf '%-34s %16s %16s %16s\n' "$1" "$off" "$traced" "$kvm"
}

echo
printf '%-34s %16s %16s %16s\n' "Debian's boot, one CPU" 'Undertrace pt=off' traced KVM
row 'guest instructions' guest_instructions
row 'root instructions' root_instructions
row 'VM exits' exits
awk '$1 ~ /^EXIT_REASON_/ { print $3 + 0, tolower(substr($1, 13)) }' vmx/cpu/exit_reasons.h | while read -r reason name; do
    row "  $name" "exit_$reason"
done
