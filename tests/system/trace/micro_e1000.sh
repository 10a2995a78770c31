#!/bin/bash
# The micro-guests over the emulated network card: every branch as the CPU took it, and twice the same bytes.
. tests/system/lib.sh

for guest in branches selfmod load; do
    check "$guest runs to power-off over e1000" boot_guest $guest $guest 'channel=e1000 net.mtu=9000'
    console_has "$guest finds itself in order" $guest "$guest: ok"
    exact "$guest: decoded branches equal the truth" $guest
    clean_log $guest
done

# Small regions and standard frames: the ring wraps, the sender's window fills.
check 'load runs with four regions of 64 KiB' boot_guest small load 'channel=e1000 pt.region=64K pt.regions=4'
exact 'load with small regions: decoded branches equal the truth' small

check 'branches runs once more, from a new image' boot_guest again branches 'channel=e1000 net.mtu=9000'
check 'and yields the identical trace' cmp "$work/branches/capture/cpu0.pt" "$work/again/capture/cpu0.pt"
check 'and the identical truth' cmp "$work/branches/truth.bin" "$work/again/truth.bin"
done_testing
