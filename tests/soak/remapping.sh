#!/bin/bash
# Debian's kernel on a machine that has to stay in x2APIC mode, with a network card as the channel: it remaps its interrupts
# through the unit, does not try to remap DMA, even where its command line asks for that, and powers off; and all that it
# executed is decoded.
#
# By itself, from the top: tests/soak/remapping.sh
WORK=${WORK:-build/soak/remapping}
. tests/system/lib.sh

for cpus in 1 2; do
    name=cpus-$cpus words=
    [ "$cpus" = 2 ] || words='intel_iommu=on'
    tests/rig/dmar.sh 1 0xfed90000@$cpus >"$work/$name.aml"
    TABLES=$work/$name.aml CPUS=$cpus PTMODEL='profile=skylake, x2apic=2, dmar=1' \
        check "$name: boots to power-off" boot "$name" build/guest/moved build/guest/initrd "$CMDLINE $words" ''
    console_has "$name: its workload is done" "$name" 'init: done'
    console_has "$name: it stays in x2APIC mode" "$name" 'x2apic: enabled by BIOS, switching to x2apic ops'
    console_has "$name: in which it remaps interrupts" "$name" 'DMAR-IR: Enabled IRQ remapping in x2apic mode'
    console_has "$name: but not DMA" "$name" 'No supported address widths. Not attempting DMA translation.'
    same "$name: no unit has blocked an interrupt, or remapped DMA" \
        "$(grep -c '^ptmodel: VT-d: [1-9][0-9]* interrupts remapped, 0 blocked, .*translation never' "$work/$name/emulator.log")" 1
    same "$name: no gap" "$(gaps "$name" true)" 0
    exact "$name: what it executed is what was decoded" "$name"
    clean_log "$name"
done
done_testing
