#!/bin/bash
# A card on a PCI segment that I/O ports do not reach, by ECAM. QEMU has one segment; a second table MCFG, which GRUB adds, calls the same
# functions segment 1, at the same place in memory, where nothing but ECAM finds them.
. tests/system/lib.sh

tests/rig/mcfg.sh 1 >"$work/mcfg.aml"
same 'the table has its size' "$(stat -c %s "$work/mcfg.aml")" 60

# on NAME CARD OPTIONS: the self-test on a Q35, with a port of PCI Express.
on() {
    QEMU_BEFORE='-machine q35 -device pcie-root-port,id=above,bus=pcie.0,addr=04.0' tests/rig/qemu.sh "$work/$1" "$2" "channel=net $3"
}
pattern() {
    [ "$(stat -c %s "$work/$1/capture/cpu0.pt")" = $((64 << 20)) ] && build/undertrace info "$work/$1/capture" --json | jq -e .ended
}

check 'without that table: the card below a port, by I/O ports' on ports e1000e,bus=above 'net.card=01:00.0'
console_has 'it is that card' ports 'channel=net: the 82574 at 1:0.0'
export TABLES=$work/mcfg.aml
check 'by ECAM: the card below a port' on ecam e1000e,bus=above 'net.card=0001:01:00.0'
console_has 'it is that card' ecam 'channel=net: the 82574 at 1:1:0.0'
check 'all has come' pattern ecam
check 'by ECAM: a card with its registers in BAR 1' on realtek rtl8139,bus=pcie.0,addr=05.0 'net.card=0001:00:05.0'
console_has 'it is that card' realtek 'channel=net: the RTL8139C+ at 1:0:5.0'
check 'without a name the first segment comes first' on first e1000e,bus=above ''
console_has 'it is that card' first 'channel=net: the 82574 at 1:0.0'
on none e1000e,bus=above 'net.card=0002:01:00.0' >/dev/null 2>&1
console_has 'a segment that no table has' none 'channel=net: found no card that docs/hardware.md lists and net.card= or net.mac= selects'
unset TABLES
on absent e1000e,bus=above 'net.card=0001:01:00.0' >/dev/null 2>&1
console_has 'nor has it without the table' absent 'channel=net: found no card that docs/hardware.md lists and net.card= or net.mac= selects'
done_testing
