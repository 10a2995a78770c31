#!/bin/bash
# The same on two virtual CPUs, which INIT and SIPI start.
. tests/nested/lib.sh

image smp build/guests/smp.bzImage '' cpus=2 pt=off
image x2apic build/guests/smp.bzImage '' 'cpus=2 x2apic' pt=off
image debian build/guest/moved build/guest/initrd "$CMDLINE ${short_boot#quiet }" pt=off
check 'a Linux with KVM runs in the emulator' nested smp:2,x2apic:2,debian:2

powered_off smp 2 'smp: ok'
powered_off x2apic 2 'smp: ok'
powered_off debian 2 'init: done'
console_has 'Debian has both CPUs' debian.2 'smp: Brought up 1 node, 2 CPUs'
done_testing
