#!/bin/bash
# A table DMAR of ACPI, for machines whose firmware lists no DMA remapping units or wrong ones (TABLES= of
# tests/rig/iso.sh).
#
# usage: dmar.sh FLAGS UNIT... >FILE      FLAGS: 1 interrupts can be remapped, 4 firmware asks that DMA be remapped;
#                                         UNIT: ADDRESS, of the registers of a unit that covers all devices;
#                                         or ADDRESS:DEVICE, for a unit that covers one device of bus 0;
#                                         or ADDRESS@ID, which also covers the I/O APIC of that ID, whose requests come
#                                         from device 1FH of bus F0H (tests/model/dmar_unit.cc)
set -eu

# bytes VALUE NUMBER: little-endian
bytes() {
    local i
    for ((i = 0; i < $2; i++)); do
        # shellcheck disable=SC2059 # an escape that is made here
        printf "\\x$(printf %02x $(($1 >> 8 * i & 255)))"
    done
}

# One DRHD structure; for a single device, its scope follows.
unit() {
    local address=${1%[:@]*} device= io_apic=
    case $1 in
    *:*) device=${1#*:} ;;
    *@*) io_apic=${1#*@} ;;
    esac
    bytes 0 2
    bytes $((${#device} || ${#io_apic} ? 24 : 16)) 2
    bytes $((${#device} ? 0 : 1)) 1
    bytes 0 3
    bytes "$((address))" 8
    [ -z "$device" ] || {
        bytes 0x0801 6
        bytes "$((device))" 2
    }
    [ -z "$io_apic" ] || {
        bytes 0x0803 4
        bytes "$((io_apic))" 1
        bytes 0x001ff0 3
    }
}

# table CHECKSUM SIZE FLAGS UNIT...
table() {
    local of
    printf DMAR
    bytes "$2" 4
    bytes 1 1
    bytes "$1" 1
    printf 'UNDERTTESTTABL'
    bytes 1 4
    printf TEST
    bytes 1 4
    bytes 38 1
    bytes "$3" 1
    bytes 0 10
    shift 3
    for of in "$@"; do unit "$of"; done
}

size=$(table 0 0 "$@" | wc -c) sum=0
for byte in $(table 0 "$size" "$@" | od -An -v -t u1); do sum=$((sum + byte)); done
table $((-sum & 255)) "$size" "$@"
