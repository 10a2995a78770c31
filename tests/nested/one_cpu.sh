#!/bin/bash
# Under KVM and QEMU, on one virtual CPU: power-off, the end of the records, e1000 as QEMU has it, a serial line.
. tests/nested/lib.sh

image branches build/guests/branches.bzImage '' '' pt=cpu
image off build/guests/levels.bzImage '' '' pt=off
image uart build/guests/branches.bzImage '' '' 'channel=uart pt=off'
image reset build/guests/ends.bzImage '' 'cf9 1' pt=off
image triple build/guests/ends.bzImage '' 'triple 1' 'pt=off triple=stop'
check 'a Linux with KVM runs in the emulator' nested branches:1,off:1,uart:1,reset:1,triple:1

powered_off branches 1 'branches: ok'
console_has 'why there is no trace is said' branches.1 'undertrace: no Intel PT: '
powered_off off 1 'levels: ok'
console_has 'VMCALL is undefined in ring 3, whatever is below' off.1 'VMCALL in ring 3, undefined 2'
powered_off uart 1 'branches: ok'
same 'and its records came over the serial line' "$(info uart.1 .hello.channel)" uart

# What is no power-off is a failure, and named; what was recorded until then has come.
failed reset 1 'run-kvm: the guest did not power off: guest-reset'
same 'but its records came to their end' "$(info reset.1 .ended)" true
failed triple 1 'run-kvm: the hypervisor stopped: guest triple fault on CPU 0; the guest is stopped'
done_testing
