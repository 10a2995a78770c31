#!/bin/bash
# A machine whose firmware describes DMA remapping (VT-d): it is hidden from the guest, which does not know our card.
# The table is GRUB's to add; no unit answers in the emulator, which must do no harm.
. tests/system/lib.sh

export MEMORY=256 TABLES=$work/dmar.aml

tests/rig/dmar.sh 5 0xfed90000 >"$TABLES"
same 'the table has its size' "$(stat -c %s "$TABLES")" 64

# Only the kernel: it lists the tables, finds no disk, and resets the machine. Its firmware hands over in x2APIC mode.
PTMODEL='profile=skylake, x2apic=1' ENDS=reset check 'Debian under the hypervisor, with a network card as the channel' \
    boot net build/guest/moved '' "$CMDLINE ${short_boot#quiet }" 'pt=off channel=net'
console_has 'a unit that does not answer is said, and no more comes of it' net 'VT-d: our memory is not protected from devices: the unit at fed90000 does not answer'
console_has 'it is hidden, and that is said' net 'undertrace: VT-d: hidden from the guest'
console_has 'the guest finds a table with an unused signature' net 'ACPI: XMAR 0x'
same 'none of VT-d, and none that is damaged' "$(grep -a -c 'DMAR\|hecksum invalid\|ncorrect checksum' "$work/net/console.txt")" 0

console_has 'x2APIC mode ends with it' net 'undertrace: x2APIC mode: all CPUs leave it'
same 'so that the kernel does not find it' "$(grep -a -c 'x2apic: enabled by BIOS' "$work/net/console.txt")" 0

# Where firmware does not request remapping, and where no card of ours needs it off, it is not touched without an option.
tests/rig/dmar.sh 1 0xfed90000 >"$TABLES"
for word in '' ' vtd=on' ' vtd=off'; do
    check "a boot with channel=net$word" boot "asks$word" build/guests/branches.bzImage '' '' "pt=off channel=net$word"
done
console_has 'firmware that does not ask' asks 'VT-d: our memory is not protected from devices: the firmware does not request it (vtd=on'
console_has 'a user who does' 'asks vtd=on' 'VT-d: vtd=on, but our memory is not protected: the unit at fed90000 does not answer'
same 'no message for a user who does not' "$(grep -a -c 'not protected' "$work/asks vtd=off/console.txt")" 0
CHANNEL=none check 'a boot without a card' boot uart build/guests/branches.bzImage '' '' 'pt=off channel=none'
console_has 'remapping stays with the guest' uart 'VT-d: our memory is not protected from devices: it is left to the guest'
same 'and its table' "$(grep -a -c 'hidden from the guest' "$work/uart/console.txt")" 0
done_testing
