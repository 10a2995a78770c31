#!/bin/bash
# Under KVM and QEMU, on one virtual CPU: power-off, the end of the records, e1000 as QEMU has it, a serial line.
. tests/nested/lib.sh

image branches build/guests/branches.bzImage '' '' ''
image off build/guests/branches.bzImage '' '' pt=off
image uart build/guests/branches.bzImage '' '' 'channel=uart pt=off'
image debian build/guest/vmlinuz build/guest/initrd "$CMDLINE" pt=off
check 'a Linux with KVM runs in the emulator' nested branches:1,off:1,uart:1,debian:1

powered_off branches 1 'branches: ok'
console_has 'why there is no trace is said' branches.1 'undertrace: no Intel PT: '
powered_off off 1 'branches: ok'
powered_off uart 1 'branches: ok'
same 'and its records came over the serial line' "$(info uart.1 .hello.channel)" uart
powered_off debian 1 'init: done'
done_testing
