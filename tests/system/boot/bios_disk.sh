#!/bin/bash
# A BIOS disk: its boot sector as the guest, in real mode with the BIOS's services. It prints the same as without us, but for the
# memory that is ours; and each 16-bit branch, the BIOS's own among them, is in the trace.
. tests/system/lib.sh

disk=build/guests/sector.img
export MEMORY=256

# disk_boot NAME OPTIONS GRUB-COMMANDS: GRUB loads the module that the commands name.
disk_boot() {
    ELF=build/undertrace.elf KERNEL='' INITRD='' OPTIONS=$2 LAST=$3 tests/rig/iso.sh "$work/$1.iso" &&
        DISK=${disk_of:-$disk} ISO=$work/$1.iso tests/rig/boot.sh "$work/$1"
}
# lines BOOT: what the guest prints, without what must differ.
lines() {
    tr -d '\r' <"$work/$1/console.txt" | grep -a '^sector:' | grep -av -e E820 -e E801
}
# usable BOOT: the KiB of memory that the BIOS's map says are free.
usable() {
    local sum=0 size
    for size in $(tr -d '\r' <"$work/$1/console.txt" | awk '/E820/ && $5 == "0001" { print $4 }'); do
        sum=$((sum + 0x$size))
    done
    echo $((sum / 1024))
}
# reserved BOOT: the KiB that are ours.
reserved() {
    sed -n 's/\r//; s/^undertrace: reserved memory: .*, \([0-9]*\) KiB$/\1/p' "$work/$1/console.txt"
}

ISO='' DISK=$disk CHANNEL=none check 'the disk boots bare' tests/rig/boot.sh "$work/bare"
console_has 'and the guest is in order' bare 'sector: ok'
check 'and as the guest' disk_boot disk '' 'module2 (hd0)+1'
console_has 'the console says what it is' disk 'undertrace: disk: the boot sector of hd0, the BIOS'"'"'s drive 80h'
same 'it prints the same but for the memory map' "$(lines disk)" "$(lines bare)"
same 'which lacks just the memory that is ours' $(($(usable bare) - $(usable disk))) "$(reserved disk)"
start=$(sed -n 's/^undertrace: reserved memory: \([0-9a-f]*\) to .*/\1/p' "$work/disk/console.txt")
console_has 'a reserved range' disk "$(printf 'E820 %016x %016x 0002' $((0x$start)) $(($(reserved disk) * 1024)))"
console_has 'the older function ends there' disk "$(printf 'E801 3c00 %04x' $(((0x$start - 0x1000000) / 0x10000)))"
exact 'each branch is in the trace' disk
clean_log disk

CHANNEL=none
export CHANNEL
check 'without tracing nothing steps the guest' disk_boot off 'pt=off channel=none' 'module2 (hd0)+1 disk hd0'
same 'and it finds the same' "$(lines off),$(($(usable off) + $(reserved off)))" "$(lines bare),$(usable bare)"
CPU=athlon64_clawhammer check 'without VMX the disk boots all the same' disk_boot no_vmx 'channel=none' 'module2 (hd0)+1 disk'
same 'and finds all memory' "$(lines no_vmx),$(usable no_vmx)" "$(lines bare),$(usable bare)"

# refused NAME TEXT GRUB-COMMANDS
refused() {
    UNTIL="undertrace: $2" check "refused: $2" disk_boot "$1" '' "$3"
}
refused length 'module "": a boot sector has 512 bytes: expected "module2 (hdN)+1 disk hdN"' 'module2 (hd0)+2'
refused name 'module "disk fd0": expected "disk hdN", with N from 0 to 127' 'module2 (hd0)+1 disk fd0'
refused drive 'disk: the BIOS has no hd1: it reports 1 hard disks' 'module2 (hd0)+1 disk hd1'
refused two "module 0 is a disk's boot sector: expected no other module beside it" $'module2 (hd0)+1 disk\nmodule2 (hd0)+1 initrd'
truncate -s 516096 "$work/empty.img"
disk_of=$work/empty.img refused signature 'module "": the sector does not end in 55H AAH' 'module2 (hd0)+1'
if [ -r /usr/share/ovmf/OVMF.fd ]; then
    FIRMWARE=uefi refused uefi 'disk: this machine was started by UEFI firmware, which does not run boot sectors' 'module2 (hd0)+1'
else
    skip 'refused: a UEFI machine' 'OVMF is not installed'
fi
done_testing
