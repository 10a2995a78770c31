#!/bin/bash
# The guest of many CPUs on bare emulated metal, without the hypervisor: what it asks of a machine is what that has.
. tests/system/lib.sh

# bare NAME CPUS WORDS: boots, and says that it is in order.
bare() {
    local image=$work/$1.iso
    ELF='' KERNEL=build/guests/smp.bzImage INITRD='' CMDLINE="cpus=$2 $3" OPTIONS='' tests/rig/iso.sh "$image" &&
        CPUS=$2 CHANNEL=none MEMORY=256 ISO=$image tests/rig/boot.sh "$work/$1"
}

for cpus in 1 2 4; do
    check "$cpus CPUs, xAPIC: power-off from the last one" bare "xapic$cpus" "$cpus" ''
    console_has 'all that it checked is right' "xapic$cpus" 'smp: ok'
done
check '4 CPUs, x2APIC: power-off from the last one' bare x2apic 4 x2apic
console_has 'all that it checked is right' x2apic 'smp: ok'
check '3 CPUs, NMIs without end' bare nmis 3 nmis=500
console_has 'and none is lost' nmis 'smp: ok'
for end in cf9 keyboard; do
    UNTIL='smp: ok' check "3 CPUs: reset by $end" bare "$end" 3 "$end"
done
done_testing
