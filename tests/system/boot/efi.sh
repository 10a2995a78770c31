#!/bin/bash
# build/undertrace.efi beneath GRUB: GRUB starts it as another boot loader, gets control back, and starts a kernel, which ends the
# firmware's boot services and calls its runtime services, on one CPU and on two. All of them are the guest.
. tests/system/lib.sh

# efi BOOT CPUS COMMAND-LINE OPTIONS: the tables are those that OVMF lacks in Bochs.
efi() {
    TABLES=$(tests/rig/tables.sh "$work/$1.tables" "$2") ELF='' EFI=build/undertrace.efi KERNEL=build/guests/efi.bzImage \
        INITRD='' CMDLINE=$3 OPTIONS=$4 tests/rig/iso.sh "$work/$1.iso" &&
        CPUS=$2 FIRMWARE=uefi MEMORY=256 ISO=$work/$1.iso tests/rig/boot.sh "$work/$1"
}

if [ ! -r /usr/share/ovmf/OVMF.fd ]; then
    skip 'an EFI application that GRUB starts' 'OVMF is not installed'
    done_testing
fi

check 'a guest boots above it' efi one 1 '' 'channel=net pt.start=now'
console_has 'GRUB has started it with options' one 'undertrace: options: channel=net pt.start=now'
console_has 'the memory attributes table of the firmware is intact' one 'efi: it is intact 1'
console_has 'SetVirtualAddressMap succeeds' one 'efi: SetVirtualAddressMap 0'
console_has 'the runtime services work where they have moved' one 'efi: the year there is 2023'
exact 'what firmware, GRUB and guest executed is what was decoded' one
clean_log one

check 'and one on two CPUs' efi two 2 two 'channel=net'
console_has 'the second CPU is ours' two 'CPU 1 (APIC id 1): ready'
console_has 'the trace starts where the boot services end' two 'undertrace: the trace starts at ExitBootServices'
console_has 'a runtime service works on the second' two 'efi: and on the other CPU 2023'
console_has 'and all is intact' two 'efi: ok'
exact_from_start 'from there on each branch of the first is decoded' two
clean_log two

# What it cannot do is said, GRUB gets an error, and nothing has changed: the kernel boots without it.
CHANNEL=none check 'a guest boots after a wrong option' efi refused 1 '' 'channel=none pt.start=never'
console_has 'the word is named' refused 'undertrace: bad option "pt.start=never"'
console_has 'nothing was started' refused 'undertrace: nothing was started'
console_has 'but the guest' refused 'efi: ok'
same 'outside VMX operation' "$(truth refused exits)" 0

# entry COMMAND-LINE: a disk that the firmware boots by its default entry: our image, and beside it a file of options, whose load= is GRUB.
entry() {
    local root=$work/entry.root esp=$work/entry.img
    mkdir -p "$root/EFI/BOOT" "$root/EFI/next"
    cp build/undertrace.efi "$root/EFI/BOOT/BOOTX64.EFI"
    printf '# without ACPI tables the power-off is not noticed\npt=off channel=none\r\nload=/EFI/next/grub.efi\n' >"$root/EFI/BOOT/undertrace.cfg"
    printf 'search.file /guest root\nlinux /guest %s\nboot\n' "$1" >"$work/entry.cfg"
    grub-mkimage -O x86_64-efi -p / -c "$work/entry.cfg" -o "$root/EFI/next/grub.efi" fat search_fs_file linux boot
    cp build/guests/efi.bzImage "$root/guest"
    truncate -s $((32 * 516096)) "$esp"
    mformat -i "$esp" ::
    mcopy -s -i "$esp" "$root/EFI" "$root/guest" ::
    ISO='' DISK=$esp CPUS=2 CHANNEL=none FIRMWARE=uefi MEMORY=256 tests/rig/boot.sh "$work/entry"
}
check 'the firmware boots it from a disk, on two CPUs' entry two
console_has 'it has read the options beside it' entry 'undertrace: options: pt=off channel=none load=/EFI/next/grub.efi'
console_has 'it has the second CPU from the firmware' entry 'CPU 1 (APIC id 1): ready'
console_has 'the loader that load= names has started the guest' entry 'efi: ok'
check 'in VMX operation' [ "$(truth entry exits 1)" -gt 0 ]
done_testing
