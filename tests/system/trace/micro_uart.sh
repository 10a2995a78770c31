#!/bin/bash
# The micro-guests over the emulated serial line. The emulated CPU is slow here, so that the line is fast beside it.
. tests/system/lib.sh

export CHANNEL=uart IPS=4000000
for guest in branches selfmod; do
    check "$guest runs to power-off over the UART" boot_guest $guest $guest 'channel=uart'
    console_has "$guest finds itself in order" $guest "$guest: ok"
    exact "$guest: decoded branches equal the truth" $guest
done
done_testing
