#!/bin/bash
# Debian's kernel under UEFI firmware (OVMF), on one CPU and on two: it finds what the firmware has left in memory of the boot
# services, switches the runtime services to virtual addresses, and powers off; and all that it executed is decoded.
#
# By itself, from the top: tests/soak/uefi.sh
WORK=${WORK:-build/soak/uefi}
. tests/system/lib.sh

for cpus in 1 2; do
    name=cpus-$cpus
    TABLES=$(tests/rig/tables.sh "$work/$name.tables" $cpus) CPUS=$cpus FIRMWARE=uefi \
        check "$name: boots to power-off" boot "$name" build/guest/vmlinuz build/guest/initrd "$CMDLINE efi=debug" \
        'channel=net net.mtu=9000'
    console_has "$name: its workload is done" "$name" 'init: done'
    console_has "$name: Linux finds the firmware" "$name" 'efi: EFI v'
    console_has "$name: and its memory attributes table" "$name" 'efi: memattr: Processing EFI Memory Attributes table'
    same "$name: which nothing has overwritten" "$(grep -ac 'Unexpected EFI' "$work/$name/console.txt")" 0
    same "$name: no gap" "$(gaps "$name" true)" 0
    exact "$name: what it executed is what was decoded" "$name"
    clean_log "$name"
done

# The same above undertrace.efi, which GRUB starts before it loads the kernel by its own commands.
for cpus in 1 2; do
    name=efi-$cpus
    iso=$work/$name.iso
    TABLES=$(tests/rig/tables.sh "$work/$name.tables" $cpus) ELF='' EFI=build/undertrace.efi KERNEL=build/guest/vmlinuz \
        INITRD=build/guest/initrd CMDLINE="$CMDLINE efi=debug" OPTIONS='channel=net net.mtu=9000' tests/rig/iso.sh "$iso"
    CPUS=$cpus FIRMWARE=uefi ISO=$iso check "$name: boots to power-off" tests/rig/boot.sh "$work/$name"
    console_has "$name: its workload is done" "$name" 'init: done'
    console_has "$name: Linux finds the firmware" "$name" 'efi: EFI v'
    exact_from_start "$name: what it executed from ExitBootServices on is what was decoded" "$name"
    clean_log "$name"
done
done_testing
