#!/bin/bash
# UEFI firmware. In the emulator, whose ROM is OVMF, a guest finds what the firmware has left for it in memory of the boot
# services, and calls its runtime services, on one CPU and on two. QEMU's TCG offers no VMX here, so the same kind of ISO boots a
# guest without the hypervisor there, and the console says so.
. tests/system/lib.sh

# uefi BOOT CPUS COMMAND-LINE: the tables are those that OVMF lacks in Bochs.
uefi() {
    TABLES=$(tests/rig/tables.sh "$work/$1.tables" "$2") CPUS=$2 FIRMWARE=uefi MEMORY=256 \
        boot "$1" build/guests/efi.bzImage '' "$3" 'channel=net'
}

if [ -r /usr/share/ovmf/OVMF.fd ]; then
    check 'a guest boots under UEFI firmware' uefi one 1 ''
    console_has 'what the firmware has left for it is intact' one 'efi: ok'
    console_has 'SetVirtualAddressMap succeeds' one 'efi: SetVirtualAddressMap 0'
    console_has 'the runtime services work where they have moved' one 'efi: the year there is 2023'
    exact 'what it executed, with a runtime service, is what was decoded' one
    SPOIL=1 check 'and one on two CPUs, with tables whose checksums are wrong' uefi two 2 two
    console_has 'the second CPU is ours all the same' two 'CPU 1 (APIC id 1): ready'
    console_has 'SetVirtualAddressMap succeeds there' two 'efi: SetVirtualAddressMap 0'
    console_has 'a runtime service works on the second' two 'efi: and on the other CPU 2023'
    console_has 'and all is intact' two 'efi: ok'
    exact 'what both executed is what was decoded' two
else
    skip 'a guest boots under UEFI firmware' 'OVMF is not installed'
fi

code=/usr/share/OVMF/OVMF_CODE_4M.fd
vars=/usr/share/OVMF/OVMF_VARS_4M.fd
if [ ! -r "$code" ] || ! command -v qemu-system-x86_64 >/dev/null; then
    skip 'the ISO boots under UEFI firmware' 'QEMU or OVMF is not installed'
    done_testing
fi

mkdir -p "$work/boot"
cp "$vars" "$work/vars.fd"
ELF=build/undertrace.elf KERNEL=build/guests/efi.bzImage INITRD='' CMDLINE='' OPTIONS='channel=none' \
    tests/rig/iso.sh "$work/boot.iso"
timeout 7200 qemu-system-x86_64 -accel tcg -machine q35 -cpu qemu64 -m 512 -display none -monitor none -no-reboot \
    -net none -drive if=pflash,format=raw,readonly=on,file="$code" -drive if=pflash,format=raw,file="$work/vars.fd" \
    -cdrom "$work/boot.iso" -serial file:"$work/boot/console.txt" </dev/null
same 'QEMU ends because the guest powered off' $? 0
console_has 'the hypervisor says hello' boot 'undertrace: version'
console_has 'and that there is no VMX' boot 'VMX'
console_has 'and what the firmware has left for the guest is intact' boot 'efi: ok'
done_testing
