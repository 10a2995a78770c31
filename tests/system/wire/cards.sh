#!/bin/bash
# The wire over cards that the emulator has not: the self-test under QEMU without KVM, with a real receiver. Of the cards that nothing
# models, tests/unit/serial/test_e1000.c asks what their manuals ask.
. tests/system/lib.sh

# sent_kib NAME: how much the self-test says that it has sent: 64 MiB, or less if that takes more than 5 s, as it may on a busy host.
sent_kib() {
    sed -n 's/.*selftest: wire: \([0-9]*\) KiB in.*/\1/p' "$work/$1/console.txt"
}

# pattern NAME: the trace is what boot/selftest/selftest_wire.c sends: the payload of each MNT packet is its offset, which restarts at each MiB.
pattern() {
    local capture=$work/$1/capture size
    size=$(stat -c %s "$capture/cpu0.pt")
    if [ "$size" != $(($(sent_kib "$1") << 10)) ] || [ "$size" -lt $((1 << 20)) ]; then
        echo "$size bytes"
        return 1
    fi
    head -c 1048576 "$capture/cpu0.pt" >"$work/$1/first"
    build/undertrace dump "$capture" --offset -0x100000 --no-pad | awk '
        $2 == "mnt" { n++; sub(/^0*/, "", $1); if ($1 != $3) { print; wrong = 1 } }
        $2 == "psb" { psb++ }
        END { exit wrong || n < 90000 || psb != 16 }' || return 1
    for _ in $(seq 64); do cat "$work/$1/first"; done | head -c "$size" | cmp - "$capture/cpu0.pt"
}

# wait_for_end NAME: until the receiver has all; the CPU then halts for ever.
wait_for_end() {
    QUIET=3 tests/rig/boot.sh "$work/$1"
    grep -q 'complete$' "$work/$1/receive.log"
}

# over CARD NAME [OPTIONS]
over() {
    local name=${1%%,*}
    check "$name: the self-test runs to its end, all of it is received" tests/rig/qemu.sh "$work/$name" "$1" "channel=net ${3:-}"
    console_has "$name: is the $2" "$name" "channel=net: the $2 at"
    check "$name: the bytes are those that were sent" pattern "$name"
    at_most "$name: the rate is said, of at least 1 MiB" 1024 "$(sent_kib "$name")"
    console_has "$name: what cannot be is said" "$name" 'selftest: VMX: this CPU has no VMX (CPUID.1:ECX[5] is 0)'
}

over e1000 82540EM net.mtu=9000
over e1000e 82574
over rtl8139 RTL8139C+
same 'its log came with the trace' "$(build/undertrace info "$work/e1000e/capture" --json | jq -r '.log[]' | grep '^selftest: [VICwt]' | cut -d : -f 2 | tr -d '\n')" \
    ' VMX Intel PT CPUs wire this machine cannot be traced'
if newer=$(tests/rig/newer-qemu.sh build/qemu 2>"$work/newer.log"); then
    export QEMU=${newer%% *} QEMU_WORDS="${newer#"${newer%% *}"}"
    over igb 82576
    unset QEMU QEMU_WORDS
else
    skip 'igb (82576)' "$(tail -n 1 "$work/newer.log")"
fi

# In the emulator, which has VMX and Intel PT, and more CPUs.
ELF=build/undertrace.elf KERNEL= INITRD= CMDLINE= OPTIONS=selftest=on tests/rig/iso.sh "$work/bochs.iso"
ISO=$work/bochs.iso CPUS=2 MEMORY=256 check 'the emulator: the self-test runs to its end' wait_for_end bochs
console_has 'its CPU can be traced' bochs 'selftest: Intel PT: yes, also in VMX operation'
console_has 'with all its CPUs' bochs 'selftest: CPUs: 2'
console_has 'and its trace sent' bochs 'selftest: this machine can be traced, and its trace can be sent'
check 'the bytes are those that were sent' pattern bochs
same 'the end of each CPU came' "$(build/undertrace info "$work/bochs/capture" --json | jq -r '.ended')" true

# Which card, where there are two; what one cannot send.
QEMU_WORDS='-device e1000,addr=05.0' check 'two cards: the one that net.card= names' \
    tests/rig/qemu.sh "$work/two" e1000e,addr=06.0 'net.card=00:06.0'
console_has 'it is that one' two 'the 82574 at 0:6.0'
QEMU_WORDS='-device e1000,addr=05.0' check 'and without it the first' \
    tests/rig/qemu.sh "$work/auto" e1000e,addr=04.0
console_has 'it is the first' auto 'the 82574 at 0:4.0'

# A card with a link before those without, in whatever order, and whatever their makers.
NO_LINK='dead' QEMU_WORDS='-device e1000,id=dead,addr=04.0' check "an Intel card without a cable in front of a Realtek with one" \
    tests/rig/qemu.sh "$work/second" rtl8139,addr=05.0
console_has 'the one with a link is taken' second 'the RTL8139C+ at 0:5.0'
NO_LINK='dead worse' QEMU_WORDS='-device rtl8139,id=dead,addr=04.0 -device e1000e,id=worse,addr=05.0' \
    check 'the other way round, with a third' tests/rig/qemu.sh "$work/third" e1000,addr=06.0
console_has 'the one with a link is taken' third 'the 82540EM at 0:6.0'

# One by its address.
QEMU_WORDS='-device rtl8139,addr=04.0,mac=52:54:00:00:00:01' check 'the one that net.mac= names' \
    tests/rig/qemu.sh "$work/mac" e1000,addr=05.0,mac=52:54:00:00:00:02 'net.mac=52:54:00:00:00:02'
console_has 'it is that one' mac 'the 82540EM at 0:5.0'
QEMU_WORDS='-device e1000,addr=04.0,mac=52:54:00:00:00:01' check 'of Realtek, too' \
    tests/rig/qemu.sh "$work/mac2" rtl8139,addr=05.0,mac=52:54:00:00:00:0A 'net.mac=52:54:00:00:00:0a'
console_has 'it is that one' mac2 'the RTL8139C+ at 0:5.0'
tests/rig/qemu.sh "$work/othermac" e1000 'channel=net net.mac=52:54:00:00:00:99' >/dev/null 2>&1
console_has 'no card has the address' othermac 'channel=net: found no card that docs/hardware.md lists and net.card= or net.mac= selects'

# A cable and a plug: an address by DHCP, the receiver by its announcement.
ANNOUNCE=1 check 'DHCP and an announcement' tests/rig/qemu.sh "$work/plug" e1000 'channel=net net.ip=dhcp net.peer=announce'
console_has 'the address' plug 'channel=net: DHCP: 10.0.2.15 is ours for 86400 s'
console_has 'the receiver' plug 'channel=net: a receiver announces itself at 10.0.2.2'
check 'the bytes are those that were sent' pattern plug
ANNOUNCE=1 check 'the same by Realtek' tests/rig/qemu.sh "$work/plug2" rtl8139 'channel=net net.ip=dhcp net.peer=announce'
check 'the bytes are those that were sent' pattern plug2
tests/rig/qemu.sh "$work/silent" e1000 'channel=net net.peer=announce net.wait=2' >/dev/null 2>&1
console_has 'no receiver announces itself' silent 'channel=net: net.peer=announce: no receiver has announced itself within 2 s'
NO_LINK=dead QEMU_WORDS='-device e1000,id=dead,addr=04.0' \
    tests/rig/qemu.sh "$work/unplugged" pcnet 'channel=net net.wait=1' >/dev/null 2>&1
console_has 'no cable' unplugged 'channel=net: no link within 1 s'
QEMU_WORDS='-device e1000,addr=04.0' tests/rig/qemu.sh "$work/nodhcp" pcnet 'channel=net net.ip=dhcp net.wait=2' >/dev/null 2>&1
console_has 'no DHCP server' nodhcp 'channel=net: net.ip=dhcp: no address from a DHCP server within 2 s'

tests/rig/qemu.sh "$work/large" e1000e 'channel=net net.mtu=9001' >/dev/null 2>&1
console_has 'more than the card sends is refused, and what it sends is said' large \
    'channel=net: net.mtu=9001 is more than the 82574 sends: net.mtu=9000'
console_has 'and the self-test continues without a wire' large 'selftest: wire: none; see the lines above'
tests/rig/qemu.sh "$work/none" pcnet 'channel=net' >/dev/null 2>&1
console_has 'no card at all' none "channel=net: found no card that docs/hardware.md lists"
done_testing
