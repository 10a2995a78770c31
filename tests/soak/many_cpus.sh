#!/bin/bash
# Eight CPUs, sixteen and twenty: micro-guests on bare emulated CPUs, under the hypervisor untraced and traced, and Debian's kernel
# on eight. What is traced must be what was executed.
#
# By itself, from the top: tests/soak/many_cpus.sh
WORK=${WORK:-build/soak/many_cpus}
. tests/system/lib.sh

export MEMORY=512 QUIET=5

# bare NAME CPUS WORDS
bare() {
    local image=$work/$1.iso
    ELF='' KERNEL=build/guests/smp.bzImage INITRD='' CMDLINE="cpus=$2 $3" OPTIONS='' tests/rig/iso.sh "$image" &&
        CPUS=$2 CHANNEL=none ISO=$image tests/rig/boot.sh "$work/$1"
}

# smp NAME CPUS WORDS OPTIONS
smp() {
    CPUS=$2 boot "$1" build/guests/smp.bzImage '' "cpus=$2 $3" "$4"
}

# all_right BOOT CPUS: no gap, and of every CPU there are branches, all as in the truth.
all_right() {
    exact "$1: all branches equal the truth" "$1"
    same "$1: no gap" "$(gaps "$1" true)" 0
    same "$1: each CPU was traced" "$(jq '[.cpus[] | select(.branches > 0 and .branches == .matched)] | length' \
        "$work/$1/verify.json")" "$2"
    clean_log "$1"
    rm -rf "$work/$1/capture"
}

# everywhere NAME CPUS WORDS: bare, pt=off, traced.
everywhere() {
    check "$1, bare: the guest runs to its end" bare "$1-bare" "$2" "$3"
    console_has "$1, bare: and finds itself in order" "$1-bare" 'smp: ok'
    CHANNEL=none check "$1, pt=off: the guest runs to its end" smp "$1-off" "$2" "$3" 'pt=off channel=none'
    console_has "$1, pt=off: and finds itself in order" "$1-off" 'smp: ok'
    check "$1: the guest runs to its end" smp "$1" "$2" "$3" ''
    console_has "$1: and finds itself in order" "$1" 'smp: ok'
    all_right "$1" "$2"
}

for cpus in 8 16; do
    everywhere "xapic$cpus" $cpus stops=60
    everywhere "x2apic$cpus" $cpus 'x2apic stops=60'
    everywhere "modes$cpus" $cpus modes
    PTMODEL='profile=skylake, hybrid=1' check "hybrid$cpus: the guest runs to its end" smp "hybrid$cpus" $cpus stops=20 ''
    all_right "hybrid$cpus" $cpus
done

# Two clusters of logical IDs in x2APIC mode.
check 'clusters20: the guest runs to its end' smp clusters20 20 'x2apic small stops=4 rounds=100' ''
console_has 'clusters20: and finds itself in order' clusters20 'smp: ok'
all_right clusters20 20
at_most 'clusters20: no CPU waits for kicks that are lost (branches)' "$(jq .branches "$work/clusters20/verify.json")" 100000000

# Stepped: local APICs in different modes, or disabled.
for cpus in 2 4; do
    QUIET=15 check "soft$cpus: the guest runs to its end" smp "soft$cpus" $cpus 'modes small' pt=soft
    console_has "soft$cpus: and finds itself in order" "soft$cpus" 'smp: ok'
    same "soft$cpus: no gap" "$(gaps "soft$cpus" true)" 0
done

for kernel in unpacked moved; do
    CPUS=8 MEMORY=1024 QUIET=15 check "Linux, $kernel: boots on eight CPUs to power-off" \
        boot "linux-$kernel" "build/guest/$kernel" build/guest/initrd "$CMDLINE" net.mtu=9000
    console_has "Linux, $kernel: it has started all" "linux-$kernel" 'smp: Brought up 1 node, 8 CPUs'
    console_has "Linux, $kernel: its workload is done" "linux-$kernel" 'init: done'
    all_right "linux-$kernel" 8
done
done_testing
