#!/bin/bash
# Eight CPUs, and sixteen, as a desktop has: each is started, gets interrupts and NMIs of each other one, executes code that
# others change, is stopped and started again. tests/soak/many_cpus.sh does more of it, and compares with bare CPUs.
. tests/system/lib.sh

export MEMORY=256 QUIET=3

# smp NAME CPUS WORDS
smp() {
    CPUS=$2 boot "$1" build/guests/smp.bzImage '' "cpus=$2 small stops=4 rounds=$3" ''
}

# traced NAME CPUS WORDS
traced() {
    check "$1: the guest runs to its end" smp "$1" "$2" "$3"
    console_has "$1: and finds itself in order" "$1" 'smp: ok'
    exact "$1: all branches equal the truth" "$1"
    same "$1: no gap" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$1/capture/meta.json")" 0
    same "$1: each CPU was traced" "$(jq '[.cpus[] | select(.branches > 0 and .branches == .matched)] | length' \
        "$work/$1/verify.json")" "$2"
    clean_log "$1"
}

traced x2apic8 8 '500 x2apic'
traced xapic16 16 100

# A CPU that takes an INIT must be in the wait-for-SIPI state when the SIPIs come, some 300 PAUSEs later, though it has all others
# look for a SIPI that came too early.
CHANNEL=none CPUS=16 check 'x2apic16, pt=off: the guest runs to its end' \
    boot x2apic16 build/guests/smp.bzImage '' 'cpus=16 small stops=4 rounds=100 x2apic' 'pt=off channel=none'
console_has 'x2apic16, pt=off: and finds itself in order' x2apic16 'smp: ok'
done_testing
