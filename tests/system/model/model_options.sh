#!/bin/bash
# The PT model's test ROM once for each kind of packets that can be switched on and each fault on purpose: libipt decodes
# it to the branches that the emulated CPU took, outside overflows.
. tests/system/lib.sh

export OUT=$work/selftest # two scripts may run beside each other

rom() { # [NAME=VALUE...] OPTION...
    local vars=()
    while [[ ${1:-} =~ ^[A-Z]+= ]]; do
        vars+=("$1")
        shift
    done
    env "${vars[@]}" tests/model/selftest/run.sh build "$@"
}

# The same run twice.
repeats() {
    rom "$@" >/dev/null && cp "$OUT/trace.bin" "$work/first" && rom "$@" >/dev/null &&
        cmp "$work/first" "$OUT/trace.bin"
}

# IA32_RTIT_CTL: 2H CYCEn, 200H MTCEn, C000H MTCFreq = 3, 280000H CycThresh = 5
check 'MTC at the shortest period' rom CTL=0x200 MTCFREQ=0
check 'MTC at every eighth tick' rom CTL=0xc200 MTCFREQ=3
check 'CYC' rom CTL=0x2
check 'CYC with a threshold' rom CTL=0x280002
check 'MTC and CYC agree' rom CTL=0xc202 MTCFREQ=3
check 'long TNT packets' rom longtnt=1
check 'deferred TIPs' rom deferred=1
check 'deferred TIPs after long TNT packets' rom deferred=1 longtnt=1
check 'IPBytes 110b' rom ip8=1
check 'IPBytes 100b' rom update48=1
check 'one overflow' rom ovf=3000:100
check 'overflows, also in PSB+ and out of context' rom ovf=100:5+2090:3+3000:100+4000:1000+9000:300
check 'many seeded overflows' rom ovf=every:500:200 seed=7
check 'overflows with MTC and CYC' rom CTL=0xc202 ovf=every:500:200 seed=8
check 'overflows with deferred TIPs' rom ovf=every:300:20 seed=9 deferred=1
check 'erratum BDM70' rom errata=bdm70
check 'two runs with everything are the same bytes' repeats CTL=0xc202 ovf=every:700:50 seed=3 skid=300
done_testing
