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
done_testing
