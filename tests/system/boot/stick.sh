#!/bin/bash
# The ISO as dd writes it to a USB stick: it is one image for CDs and for disks, for BIOS and for UEFI firmware, and boots as a
# disk from both.
. tests/system/lib.sh

iso=$work/stick.iso
ELF=build/undertrace.elf KERNEL=build/guests/exits.bzImage INITRD='' CMDLINE='' OPTIONS='channel=net net.mtu=9000' \
    check 'the image is made' tests/rig/iso.sh "$iso"
xorriso -indev "$iso" -report_system_area plain -report_el_torito plain >"$work/report" 2>/dev/null
report() {
    grep -cE "$1" "$work/report"
}
same 'a boot sector of a disk, with a partition table' "$(report '^System area summary:.*protective-msdos-label.*grub2-mbr')" 1
same 'an EFI system partition, in a GPT' "$(report '^System area summary:.*GPT'),$(report '^GPT type GUID .*28732ac11ff8d211ba4b00a0c93ec93b')" 1,1
same 'of a CD: a boot image for BIOS, and one for UEFI' "$(report '^El Torito boot img : .*BIOS'),$(report '^El Torito boot img : .*UEFI')" 1,1

# A stick is larger than what is written to it. 516096 bytes are a cylinder of the emulated disk.
stick=$work/stick.img
truncate -s $((($(stat -c %s "$iso") / 516096 + 3) * 516096)) "$stick"
check 'dd' dd if="$iso" of="$stick" bs=1M conv=notrunc status=none
ISO='' DISK=$stick check 'a BIOS boots it as a disk, and the guest is traced' tests/rig/boot.sh "$work/bios"
console_has 'the guest is in order' bios 'exits: ok'
exact 'each branch is in the trace' bios

code=/usr/share/OVMF/OVMF_CODE_4M.fd
if [ -r "$code" ]; then
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars.fd"
    mkdir -p "$work/uefi"
    timeout 7200 qemu-system-x86_64 -accel tcg -machine q35 -cpu qemu64 -m 512 -display none -monitor none -no-reboot \
        -net none -drive if=pflash,format=raw,readonly=on,file="$code" -drive if=pflash,format=raw,file="$work/vars.fd" \
        -device qemu-xhci -drive id=stick,if=none,format=raw,file="$stick" -device usb-storage,drive=stick \
        -serial file:"$work/uefi/console.txt" </dev/null
    same 'UEFI firmware boots it as a USB stick: the guest powers off' $? 0
    console_has 'the hypervisor says hello' uefi 'undertrace: version'
    console_has 'the guest is in order there' uefi 'exits: ok'
else
    skip 'UEFI firmware boots it as a USB stick' 'OVMF is not installed'
fi
done_testing
