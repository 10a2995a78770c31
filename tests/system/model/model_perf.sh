#!/bin/bash
# perf's decoder as the judge of the model: the test ROM's trace, decoded by `perf script` through a perf.data file of our
# making, has the branches that the emulated CPU took, taken or not, its events, and no errors.
. tests/system/lib.sh
. tests/model/perf.sh

export OUT=$work/selftest # two scripts may run beside each other
rom=$OUT
# shellcheck disable=SC2034 # for perf.sh
out=build/tools

# The truth's list of branches as text.
truth() {
    od -An -v -w16 -tx8 $rom/branches.bin | sed -E 's/ 0{0,15}([0-9a-f]+)/ \1/g; s/^ //'
}

symbol() {
    nm $rom/rom.elf | sed -n "s/ [Tt] $1\$//p"
}

# decode NAME CTL OPTION...: run the ROM; perf's list and the truth's differ nowhere but in what overflows hide.
decode() {
    local name=$1 ctl=$2
    shift 2
    check "$name: libipt decodes it" env CTL="$ctl" tests/model/selftest/run.sh build "$@"
    head -c -8 $rom/trace.bin >"$work/rom.pt" # without "PMIs" and their number
    truth >"$work/rom.truth"
    objcopy -I binary -O elf32-i386 $rom/rom.bin "$work/rom32.o"
    check "$name: perf decodes it" perf_decodes "$work/rom" $rom/rom.bin 0x10000 "$ctl" \
        "code32=$(symbol code32_start)-$(symbol code32_end):$work/rom32.o"
    same "$name: to the truth's $(wc -l <"$work/rom.truth") branches" "$(perf_differences "$work/rom" | head -n 9)" ''
}

# as_perf NAME CTL TIMES OPTION...: TIMES is how many points of time perf must at least distinguish. Between two timing
# packets it guesses two ticks an instruction (intel_pt_est_timestamp), which here take one: it may be ahead by those of
# one MTC.
as_perf() {
    local name=$1 times=$3
    decode "$1" "$2" "${@:4}"
    perf script -i "$work/rom.data" --ns --itrace=b -F time >"$work/times" 2>/dev/null
    same "$name: perf's time goes forward, in $times steps or more" "$(awk -v least="$times" '
        $1 + 0 < last - 146e-9 { n++ } $1 + 0 != last { steps++ } { last = $1 + 0 }
        END { print n + 0, (steps >= least ? "enough" : steps) }' "$work/times")" '0 enough'
}

if ! command -v perf >/dev/null; then
    skip 'perf decodes the model' 'perf is not installed (linux-perf)'
    done_testing
fi
# IA32_RTIT_CTL: 2H CYCEn, 200H MTCEn, C000H MTCFreq = 3, 280000H CycThresh = 5
as_perf 'TSC' 0 20
as_perf 'TSC, MTC' 0x200 1000
as_perf 'TSC, every eighth MTC' 0xc200 200
as_perf 'TSC, CYC' 0x2 5000
as_perf 'TSC, CYC with a threshold' 0x280002 500
as_perf 'TSC, MTC, CYC' 0xc202 5000
as_perf 'a late PMI' 0 20 skid=700 seed=3
as_perf 'a late PMI and a second' 0 20 skid=700 second=400 seed=5
as_perf 'deferred TIPs' 0 20 deferred=1
as_perf 'long TNT packets' 0 20 longtnt=1
as_perf 'deferred TIPs after long TNT packets' 0 20 deferred=1 longtnt=1
as_perf 'IPBytes 110b' 0 20 ip8=1
as_perf 'IPBytes 100b' 0 20 update48=1
as_perf 'erratum BDM70' 0 20 errata=bdm70
decode 'one overflow' 0 ovf=3000:100
decode 'overflows, also in PSB+ and out of context' 0 ovf=100:5+2090:3+3000:100+4000:1000+9000:300
decode 'many seeded overflows' 0 ovf=every:500:200 seed=7
decode 'overflows with MTC and CYC' 0xc202 ovf=every:500:200 seed=8
decode 'overflows with deferred TIPs' 0 ovf=every:300:20 seed=9 deferred=1
done_testing
