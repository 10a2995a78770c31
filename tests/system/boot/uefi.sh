#!/bin/bash
# The same ISO under UEFI firmware. QEMU's TCG offers no VMX here, so the guest boots without the hypervisor under it, and
# the console says so.
. tests/system/lib.sh

code=/usr/share/OVMF/OVMF_CODE_4M.fd
vars=/usr/share/OVMF/OVMF_VARS_4M.fd
if [ ! -r "$code" ] || ! command -v qemu-system-x86_64 >/dev/null; then
    skip 'the ISO boots under UEFI firmware' 'QEMU or OVMF is not installed'
    done_testing
fi

mkdir -p "$work/boot"
cp "$vars" "$work/vars.fd"
ELF=build/undertrace.elf KERNEL=build/guests/branches.bzImage INITRD='' CMDLINE='' OPTIONS='channel=none' \
    tests/rig/iso.sh "$work/boot.iso"
timeout 7200 qemu-system-x86_64 -accel tcg -machine q35 -cpu qemu64 -m 512 -display none -monitor none -no-reboot \
    -net none -drive if=pflash,format=raw,readonly=on,file="$code" -drive if=pflash,format=raw,file="$work/vars.fd" \
    -cdrom "$work/boot.iso" -serial file:"$work/boot/console.txt" </dev/null
same 'QEMU ends because the guest powered off' $? 0
console_has 'the hypervisor says hello' boot 'undertrace: version'
console_has 'and that there is no VMX' boot 'VMX'
console_has 'and the guest is in order' boot 'branches: ok'
done_testing
