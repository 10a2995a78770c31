#!/bin/bash
# A cable and a plug are all the configuration: the target's address from a DHCP server, the receiver's by its announcement, both by real
# broadcasts between two network namespaces. The same over QEMU's user network, which knows no broadcast from outside: tests/system/wire/cards.sh.
. tests/system/lib.sh

if ! why=$(tests/rig/plug.sh check 2>&1); then
    skip 'a receiver that announces itself to all' "no network namespaces here: $(tail -n 1 <<<"$why")"
    done_testing
fi

# plugged NAME CARD
plugged() {
    check "$2: the self-test runs to its end, all of it is received" tests/rig/plug.sh "$work/$1" "$2"
    console_has "$2: the address" "$1" 'channel=net: DHCP: 192.168.77.100 is ours for 3600 s'
    console_has "$2: the receiver" "$1" 'channel=net: a receiver announces itself at 192.168.77.1'
    console_has "$2: the wire" "$1" ' KiB in '
    same "$2: the bytes are those that were sent" "$(stat -c %s "$work/$1/capture/cpu0.pt")" $((64 << 20))
    same "$2: the end came" "$(build/undertrace info "$work/$1/capture" --json | jq .ended)" true
    same "$2: the DHCP server has agreed once" "$(grep -c 'DHCPACK(cable) 192.168.77.100' "$work/$1.dhcp.log")" 1
}

plugged intel e1000e
plugged realtek rtl8139
done_testing
