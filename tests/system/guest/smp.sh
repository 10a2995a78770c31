#!/bin/bash
# The guest of many CPUs under the hypervisor: each CPU's branches are those that it took, wherever it was started, patched,
# stopped and started again; and the same boot twice is the same.
. tests/system/lib.sh

export MEMORY=256 QUIET=3

# smp NAME CPUS WORDS OPTIONS
smp() {
    CPUS=$2 boot "$1" build/guests/smp.bzImage '' "cpus=$2 $3" "$4"
}

# each NAME BOOT CPUS: no gap, and of every CPU there are branches, all as in the truth.
each() {
    exact "$1: all branches equal the truth" "$2"
    same "$1: no gap" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$2/capture/meta.json")" 0
    same "$1: each CPU was traced, and each branch of it is right" \
        "$(jq '[.cpus[] | select(.branches > 0 and .branches == .matched)] | length' "$work/$2/verify.json")" "$3"
    clean_log "$2"
}

# model_count NAME WHAT: how many NMIs or PMIs the emulator has counted
model_count() {
    sed -n "s/.*ptmodel: $2: all \([0-9]*\) .*/\1/p" "$work/$1/emulator.log"
}

# run NAME CPUS WORDS OPTIONS
run() {
    check "$1: the guest runs to its end" smp "$1" "$2" "$3" "$4"
    console_has "$1: and finds itself in order" "$1" 'smp: ok'
    each "$1" "$1" "$2"
}

# more WORD: in the soak (SMP_MORE=1) another variation of a boot.
more() {
    [ "${SMP_MORE:-0}" = 0 ] || echo "$1"
}

for cpus in 1 2 4; do run xapic$cpus $cpus '' ''; done
for cpus in 2 4; do run x2apic$cpus $cpus x2apic ''; done
# Whether an INIT of the guest's merges with one of root's is a matter of times: some more of them.
for rounds in 22500 $(more 24000); do run x2apic4-$rounds 4 "x2apic rounds=$rounds" ''; done
# ... which the SIPI follows at once, so that the ICR no longer shows the INIT afterwards.
for mode in xapic x2apic; do
    for rounds in 20000 $(more 20200); do run restarts-$mode-$rounds 4 "$mode restarts rounds=$rounds" ''; done
done
# Packets with linear addresses: branches in real mode lead to a place on top of the segment's base.
PTMODEL='profile=icelake' run linear 2 '' ''
# Performance and efficiency cores: every other CPU has them.
PTMODEL='profile=skylake, hybrid=1' run hybrid 4 stops=60 ''
# ... and one that lacks a control which the first CPU uses.
CHANNEL=none PTMODEL='profile=skylake, hybrid=2' check 'hybrid, and a control is missing: the guest boots' smp refused 2 'stops=0 rounds=100' ''
console_has 'and the CPU and the control are named' refused \
    'CPU 1 (APIC id 1): only one of it and the first CPU has the secondary processor-based control "enable VPID"'
console_has 'and what follows' refused 'no VMX: not all CPUs could be taken over; the guest boots without the hypervisor'
console_has 'and it works' refused 'smp: ok'
PTMODEL='profile=skylake, keepinit=1' run keepinit 3 '' ''
PTMODEL='profile=skylake, late=3000, seed=5, hold=1' run late 2 x2apic 'pt.region=4K pt.regions=16'

# PMIs without end, each twice, and among them the NMIs that CPUs send each other: none may be lost.
for way in root list; do
    for seed in 7 $(more 8); do
        PTMODEL="profile=skylake, skid=300, second=200, seed=$seed" \
            run storm-$way-$seed 2 rounds=50000 "pt.region=4K pt.regions=16 pt.switch=$way"
    done
done

# The same, as dense as it can be. PMIs are the only NMIs that arrive, so that none of the guest's can merge with one.
for mode in xapic x2apic; do
    PTMODEL='profile=skylake, skid=300, second=200, seed=6' \
        run nmis-$mode 2 "nmis=1500 $mode" 'pt.region=4K pt.regions=16 pt.switch=list'
    at_most "nmis-$mode: NMIs that arrived, of which all are PMIs" "$(model_count nmis-$mode NMIs)" "$(model_count nmis-$mode PMIs)"
    same "nmis-$mode: NMIs that merged" "$(sed -n 's/.*NMIs: .* merged \([0-9]*\).*/\1/p' "$work/nmis-$mode/emulator.log")" 0
done

# Kicks that are lost on their way are sent again.
for lost in 2 3; do
    PTMODEL="profile=skylake, loseinit=$lost" run lost-$lost 3 "patches $([ $lost = 2 ] || echo x2apic)" ''
    check "lost-$lost: some were lost" grep -q 'INITs: lost [1-9]' "$work/lost-$lost/emulator.log"
done

# An NMI right after a SIPI, or before it, arrives once; and none hides the SIPI.
for mode in xapic x2apic; do run sipis-$mode 2 "sipis=20 $mode" ''; done
CHANNEL=none check 'sipis, pt=off: the guest runs to its end' smp sipis-off 2 'sipis=20 pauses' 'pt=off channel=none'
console_has 'sipis, pt=off: and finds itself in order' sipis-off 'smp: ok'

# On a slow wire much trace still waits when the guest powers off: no CPU's end record may overtake it. And CPUs that
# change code without end leave the others their part of the wire: if one waited meanwhile, changes would be ten
# times as many, or more. (Each start of a CPU sends its records over that wire, while others change code: 60 starts, not 300.)
WIRE='rate=10' run slow 4 'rounds=230000 stops=60' ''
at_most "slow: no CPU waits for the wire for ever (EPT violations)" "$(truth slow exit_48)" 8000

for end in cf9 keyboard; do ENDS=reset run $end 3 "$end stops=20" ''; done
ENDS=reset run triple 2 triple ''
ENDS=stop run stop 2 triple triple=stop

check 'four CPUs once more, from a new image' smp again 4 '' ''
for cpu in 0 1 2 3; do
    check "and CPU $cpu yields the identical trace" cmp "$work/xapic4/capture/cpu$cpu.pt" "$work/again/capture/cpu$cpu.pt"
done
check 'and the truth is the same' cmp "$work/xapic4/truth.bin" "$work/again/truth.bin"
done_testing
