#!/bin/bash
# The ACPI tables that the emulated PC needs where its firmware has none: OVMF takes them from QEMU, which is not there
# (TABLES= of tests/rig/iso.sh).
#
# usage: tables.sh DIR CPUS        writes DIR/dsdt.aml, facp.aml and apic.aml, and prints these names
# from the environment: SPOIL=1: the checksums of the last two are wrong
set -eu

dir=$1 cpus=$2
bios=/usr/share/bochs/BIOS-bochs-latest

# le VALUE BYTES: little-endian
le() {
    local i
    for ((i = 0; i < $2; i++)); do printf '%b' "\\x$(printf %02x $(($1 >> 8 * i & 255)))"; done
}

# table SIGNATURE REVISION BODY...: the body's command writes what follows the header.
table() {
    local size sum=0 byte
    size=$((36 + $("${@:3}" | wc -c)))
    for byte in $(header "$1" "$2" "$size" 0 | cat - <("${@:3}") | od -An -v -t u1); do sum=$((sum + byte)); done
    header "$1" "$2" "$size" $((${SPOIL:-0} - sum & 255))
    "${@:3}"
}

header() {
    printf %s "$1"
    le "$3" 4
    le "$2" 1
    le "$4" 1
    printf 'UNDERTTESTTABL\1\0\0\0TEST\1\0\0\0'
}

# The FADT of revision 1 of a PIIX4 whose power management is at B000H; GRUB fills in where the DSDT is.
fadt() {
    le 0 8          # FIRMWARE_CTRL, DSDT
    le 1 2          # INT_MODEL: multiple APICs
    le 9 2          # SCI_INT
    le 0 8          # SMI_CMD and three commands for it: ACPI is on already
    le 0xb000 4     # PM1a_EVT_BLK
    le 0 4
    le 0xb004 4     # PM1a_CNT_BLK
    le 0 8
    le 0xb008 4     # PM_TMR_BLK
    le 0 8
    le 0x04000204 4 # lengths of the event, control and timer blocks
    le 0 4
    le 0xfff 2      # no C2
    le 0xfff 2      # no C3
    le 0 12
    le 0xa5 4       # WBINVD, C1, SLP_BUTTON, RTC_S4
}

madt() {
    local i
    le 0xfee00000 4
    le 1 4 # PC-AT compatible: two 8259s
    for ((i = 0; i < cpus; i++)); do
        le 0x0800 2
        le $((i | i << 8)) 2
        le 1 4
    done
    le 0x0c01 2 # the I/O APIC, whose number follows those of the CPUs
    le "$cpus" 2
    le 0xfec00000 4
    le 0 4
    for i in 0 5 9 10 11; do # IRQ 0 is at input 2; PCI's and the SCI are level-triggered, active high
        le 0x0a02 2
        le $((i << 8)) 2
        le $((i == 0 ? 2 : i)) 4
        le $((i == 0 ? 0 : 0xd)) 2
    done
}

dsdt() {
    local at size
    at=$(grep -abo BXDSDT "$bios" | head -n 1 | cut -d : -f 1)
    at=$((at - 16))
    size=$(od -An -t u4 -j $((at + 4)) -N 4 "$bios")
    tail -c +$((at + 1)) "$bios" | head -c $((size))
}

mkdir -p "$dir"
dsdt >"$dir/dsdt.aml"
table FACP 1 fadt >"$dir/facp.aml"
table APIC 1 madt >"$dir/apic.aml"
echo "$dir/dsdt.aml $dir/facp.aml $dir/apic.aml"
