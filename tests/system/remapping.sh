#!/bin/bash
# A machine whose firmware tells of DMA remapping (VT-d): the guest must not find it, as it knows nothing of our card. The
# table is GRUB's to add; no unit answers in the emulator, which must do no harm.
. tests/system/lib.sh

export MEMORY=256 TABLES=$work/dmar.aml

# bytes VALUE NUMBER: little-endian
bytes() {
    local value=$1 i
    for ((i = 0; i < $2; i++)); do
        # shellcheck disable=SC2059 # an escape that is made here
        printf "\\x$(printf %02x $((value >> 8 * i & 255)))"
    done
}

# A head of 36 bytes, the width of addresses, flags; one unit, for all devices.
dmar() {
    printf DMAR
    bytes 64 4
    bytes 1 1
    bytes "$1" 1
    printf 'UNDERTTESTTABL'
    bytes 1 4
    printf TEST
    bytes 1 4
    bytes 38 1
    bytes 0 11
    bytes 0 2
    bytes 16 2
    bytes 1 1
    bytes 0 3
    bytes $((0xfed90000)) 8
}

sum=0
for byte in $(dmar 0 | od -An -v -t u1); do sum=$((sum + byte)); done
dmar $((-sum & 255)) >"$TABLES"
same 'the table has its size' "$(stat -c %s "$TABLES")" 64

# The kernel alone: it lists the tables, finds no disk, and resets the machine.
ENDS=reset check 'Debian under the hypervisor, with a network card as the channel' \
    boot net build/guest/moved '' "$CMDLINE" 'pt=off channel=net vtd=on'
console_has 'a unit that does not answer is said, and no more comes of it' net 'VT-d: vtd=on, but our memory is not protected: the unit at fed90000 does not answer'
console_has 'it is hidden, and that is said' net 'undertrace: VT-d: hidden from the guest'
console_has 'the guest finds a table that nobody looks for' net 'ACPI: XMAR 0x'
same 'none of VT-d, and none that is damaged' "$(grep -a -c 'DMAR\|hecksum invalid\|ncorrect checksum' "$work/net/console.txt")" 0
done_testing
