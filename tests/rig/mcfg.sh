#!/bin/bash
# A table MCFG of ACPI that calls the functions of QEMU's Q35 those of another PCI segment (TABLES= of tests/rig/iso.sh).
#
# usage: mcfg.sh SEGMENT >FILE
set -eu

segment=$1

# le VALUE BYTES
le() {
    local i
    for ((i = 0; i < $2; i++)); do printf '%b' "\\x$(printf %02x $(($1 >> 8 * i & 255)))"; done
}
# mcfg CHECKSUM: buses 0 to 15, where the chipset Q35 has its configuration space.
mcfg() {
    printf MCFG
    le 60 4
    le 1 1
    le "$1" 1
    printf 'UNDERTTESTTABL\1\0\0\0TEST\1\0\0\0'
    le 0 8
    le 0xb0000000 8
    le "$segment" 2
    le 0 1
    le 15 1
    le 0 4
}
sum=0
for byte in $(mcfg 0 | od -An -v -t u1); do sum=$((sum + byte)); done
mcfg $((-sum & 255))
