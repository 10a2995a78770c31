#!/bin/bash
# Consoles on UARTs that the emulator has not: a PCI card's, and the one that ACPI's table SPCR names. By QEMU without KVM.
. tests/system/lib.sh
. tests/rig/boot_lib.sh

guard_children

# console NAME OPTIONS WORDS...: the self-test, with the UART that the words make writing to NAME.txt. Until its last line is there.
console() {
    local name=$1 options=$2 spent=0
    shift 2
    ELF=build/undertrace.elf KERNEL= INITRD= CMDLINE= OPTIONS="selftest=on channel=none $options" \
        tests/rig/iso.sh "$work/$name.iso" || return 1
    qemu-system-x86_64 -nodefaults -accel tcg -cpu max -m 256 -display none -vga std -no-reboot -cdrom "$work/$name.iso" "$@" \
        >"$work/$name.log" 2>&1 &
    local emulator=$!
    while kill -0 $emulator 2>/dev/null && [ "$spent" -lt 100 ]; do
        grep -qa 'undertrace: selftest: done' "$work/$name.txt" 2>/dev/null && break
        spent=$(awk '{ sub(/.*\) /, ""); print int(($12 + $13) / 100) }' /proc/$emulator/stat 2>/dev/null || echo 100)
        sleep 0.2
    done
    kill $emulator 2>/dev/null
    wait $emulator 2>/dev/null
    grep -a 'undertrace: selftest: done' "$work/$name.txt"
}

check "a PCI card's UART is the console" console card console=00:05.0 \
    -chardev "file,id=card,path=$work/card.txt" -device pci-serial,chardev=card,addr=05.0

# The console is not at the first port: only the table has its address. 36 bytes of head; a 16550, whose registers are
# I/O ports of 8 bits.
head_of() {
    printf 'SPCR\x50\0\0\0\2'
    # shellcheck disable=SC2059 # an escape that is made here
    printf "\\x$(printf %02x "$1")"
    printf 'UNDERTTESTTABL\1\0\0\0TEST\1\0\0\0'
}
body() {
    printf '\0\0\0\0\1\10\0\1\xf8\2\0\0\0\0\0\0'
    head -c 28 /dev/zero
}
sum=0
for byte in $({ head_of 0; body; } | od -An -v -t u1); do sum=$((sum + byte)); done
{ head_of $((-sum & 255)); body; } >"$work/spcr.aml"
same 'the table has its size' "$(stat -c %s "$work/spcr.aml")" 80
export TABLES=$work/spcr.aml
check 'the UART of SPCR is the console' console spcr console=spcr -chardev "file,id=second,path=$work/spcr.txt" \
    -chardev "file,id=first,path=$work/first.txt" -device isa-serial,chardev=first,index=0 -device isa-serial,chardev=second,index=1
same 'and nothing is on the first one' "$(grep -a -c undertrace "$work/first.txt")" 0
done_testing
