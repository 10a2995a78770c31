#!/bin/bash
# vtd=on, and vtd=auto: DMA remapping keeps devices from the hypervisor's memory, and the wire continues to work. In QEMU
# without KVM, whose VT-d unit refuses and records as the specification says; its device "edu" copies memory on command,
# and gets its commands from outside (qtest).
. tests/system/lib.sh
. tests/rig/boot_lib.sh

guard_children
on='VT-d: devices can access all memory except ours; our card can access only ours'

# through NAME CARD BEFORE [AFTER]: the self-test with a receiver, over a card between these words. VTD: the option
through() {
    QEMU_BEFORE="-machine q35 $3" QEMU_WORDS="${4:-}" check "$1: all of the self-test arrives" \
        tests/rig/qemu.sh "$work/$1" "$2" "channel=net ${VTD-vtd=on}"
    same "$1: all the bytes" "$(stat -c %s "$work/$1/capture/cpu0.pt")" $((64 << 20))
}

through three_levels e1000e '-device intel-iommu'
console_has 'by tables of three levels' three_levels "$on"
through port e1000e,bus=root '-device intel-iommu,aw-bits=48 -device pcie-root-port,id=root,chassis=1,slot=1'
console_has 'by tables of four levels, below a port' port "$on"
through bridge rtl8139,bus=bridge,addr=01.0 '-device intel-iommu,aw-bits=48 -device pcie-pci-bridge,id=bridge'
console_has 'below a bridge, whose requester ID it uses' bridge "$on"
through shared rtl8139,bus=bridge,addr=01.0 '-device intel-iommu,aw-bits=48 -device pcie-pci-bridge,id=bridge' '-device edu,bus=bridge,addr=02.0'
console_has 'a card that shares a bridge with another device has the same requester ID: so it is refused' shared 'by device 1:0.0 (fault reason'
console_has 'and all is off again' shared 'VT-d: vtd=on, but our memory is not protected: the card cannot reach the receiver through it'

# By itself: where firmware asks for it, which QEMU's does not, before anything is sent. The self-test tries it all the same.
vtd_finding() {
    console_has "$1: said in plain words" "$1" "undertrace: selftest: finding: note: VT-d $2"
    console_has "$1: and what to do" "$1" "undertrace: selftest: remedy: $3"
}
export VTD=
through unasked e1000e '-device intel-iommu,aw-bits=48'
console_has 'it is tried last' unasked 'selftest: VT-d: a boot would leave it off: the firmware does not request it (vtd=on'
console_has 'and works' unasked "$on"
vtd_finding unasked 'can protect our memory from devices, but a boot leaves it off (the firmware does not request' 'add vtd=on'

export TABLES=$work/dmar.aml EXCEPT=DMAR
tests/rig/dmar.sh 5 0xfed90000 >"$TABLES"
through asked e1000e '-device intel-iommu,aw-bits=48'
same 'it is on before the wire is tried' "$(sed -n "s/.*undertrace: \($on\).*/on/p; s/.*selftest: wire: .*/wire/p" "$work/asked/console.txt" | tr '\n' ' ')" 'on wire '
vtd_finding asked 'protects our memory from devices' 'none needed; add vtd=off'

# A unit for the display only, which does not even answer: it is not used, unless all units are required.
tests/rig/dmar.sh 4 0xfed80000:1 0xfed90000 >"$TABLES"
through display e1000e '-device intel-iommu,aw-bits=48'
console_has "the display's unit stays off" display "VT-d: the unit at fed80000, which serves only the display, stays off"
console_has 'the others are on' display 'VT-d: switched on 1 of 2 units'
VTD=vtd=on through all_units e1000e '-device intel-iommu,aw-bits=48'
console_has 'with vtd=on it is one of all' all_units 'VT-d: vtd=on, but our memory is not protected: the unit at fed80000 does not answer'

# One that is not there at all.
tests/rig/dmar.sh 4 0xfed80000 >"$TABLES"
through absent e1000e '-device intel-iommu,aw-bits=48'
vtd_finding absent 'cannot protect our memory from devices on this machine (the unit at fed80000 does not answer)' 'none needed, as tracing works without VT-d'
unset TABLES EXCEPT VTD

# machine NAME OPTIONS: until the self-test is over and its CPU halted; the machine answers to qtest then.
machine() {
    local dir=$work/$1 tenths
    mkdir -p "$dir"
    ELF=build/undertrace.elf KERNEL='' INITRD='' CMDLINE='' OPTIONS="selftest=on channel=none $2" tests/rig/iso.sh "$dir/image.iso"
    mkfifo "$dir/in"
    : >"$dir/console.txt" >"$dir/out"
    exec 9<>"$dir/in"
    # shellcheck disable=SC2086 # a list of words
    qemu-system-x86_64 -nodefaults -accel tcg -machine q35 ${3-} -cpu max -m 256 -display none -vga std -no-reboot \
        -cdrom "$dir/image.iso" -device edu,addr=05.0 -serial "file:$dir/console.txt" -qtest stdio <"$dir/in" >"$dir/out" 2>"$dir/qemu.log" &
    emulator=$!
    out=$dir/out answers=0
    for ((tenths = 0; tenths < 3000; tenths++)); do
        grep -qa 'selftest: done' "$dir/console.txt" && break
        kill -0 "$emulator" 2>/dev/null || break
        sleep 0.1
    done
    console_has "$1: the self-test ends" "$1" 'selftest: done'
    ours=$((16#$(sed -n 's/.*undertrace: reserved memory: \([0-9a-f]*\) to .*/\1/p' "$dir/console.txt")))
    qtest outl 0xcf8 0x80002804 # 00:05.0: memory and bus master
    qtest outl 0xcfc 6
    qtest outl 0xcf8 0x80002810 # BAR 0
    bar=$(($(ask inl 0xcfc) & ~15))
}

machine_ends() {
    kill -TERM "$emulator"
    wait "$emulator" 2>/dev/null
    emulator=
    exec 9>&-
}

# ask WORDS...: a command of qtest's, and the number that it answers.
ask() {
    local tries
    answers=$(wc -l <"$out")
    echo "$*" >&9
    for ((tries = 0; tries < 500; tries++)); do
        [ "$(wc -l <"$out")" -gt "$answers" ] && break
        sleep 0.02
    done
    tail -n 1 "$out" | sed 's/^OK *//'
}

qtest() {
    ask "$@" >/dev/null
}

# copy FROM TO COMMAND: 8 bytes by DMA. COMMAND 1: into the device, whose memory is at 40000H; 3: out of it.
copy() {
    local tries
    qtest writeq $((bar + 0x80)) "$1"
    qtest writeq $((bar + 0x88)) "$2"
    qtest writeq $((bar + 0x90)) 8
    qtest writeq $((bar + 0x98)) "$3"
    for ((tries = 0; tries < 500; tries++)); do
        [ $(($(ask readq $((bar + 0x98))) & 1)) = 0 ] && break
        sleep 0.02
    done
}

# What the device does to a page of ours, to one that is not, and with what it reads from ours.
try_device() {
    local free=$((ours - 0x1000)) pattern=0x1122334455667788 secret=0x5a5a5a5a5a5a5a5a
    qtest writeq "$free" $pattern
    qtest writeq "$ours" $secret
    copy "$free" 0x40000 1
    copy 0x40000 $((free + 8)) 3
    same "$1: a device copies what is not ours" "$(ask readq $((free + 8)))" "$pattern"
    copy 0x40000 "$ours" 3
    written=$(ask readq "$ours")
    fault=$(ask readq 0xfed90228) page=$(ask readq 0xfed90220)
    qtest writel 0xfed9022c 0x80000000
    qtest writeq "$ours" $secret
    copy "$ours" 0x40000 1
    copy 0x40000 $((free + 16)) 3
    read=$(ask readq $((free + 16)))
}

hex() {
    printf 0x%016x "$1"
}

machine open vtd=off '-device intel-iommu'
try_device 'with vtd=off'
same 'with vtd=off it writes to ours' "$written" 0x1122334455667788
same 'and reads it' "$read" 0x5a5a5a5a5a5a5a5a
machine_ends

for width in 39 48; do
    machine "closed_$width" vtd=on "-device intel-iommu,aw-bits=$width"
    console_has "$width bits: it is on" "closed_$width" "$on"
    try_device "$width bits"
    same "$width bits: it cannot write to ours" "$written" 0x5a5a5a5a5a5a5a5a
    same 'the unit has recorded that: 00:05.0, a write (reason 5)' "$fault" "$(hex $((0x80ffff0500000028)))"
    same 'and where' "$page" "$(hex "$ours")"
    same 'nor can it read it' "$([ "$read" = 0x5a5a5a5a5a5a5a5a ] && echo "it reads $read")" ''
    machine_ends
done

# No unit at all, and a table that names one where there is none: tests/system/guest/remapping.sh.
machine none vtd=on
console_has 'a machine without VT-d says so' none 'VT-d: vtd=on, but our memory is not protected: ACPI lists no remapping unit'
machine_ends
done_testing
