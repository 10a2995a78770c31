#!/bin/bash
# perf's decoder as the judge of the model: the 64-bit part of the test ROM, decoded by `perf script` through a perf.data
# file of our making, takes the branches that the emulated CPU took. Compared are taken branches and events (perf lists
# no branch that was not taken) whose both ends were traced. 16- and 32-bit code is libipt's alone (model.sh): perf takes
# the code's size from the image.
. tests/system/lib.sh

rom=build/model/selftest

# The lines of perf script as "from to", without the starts and ends of tracing.
branches() {
    awk '$(NF - 1) == "=>" && $(NF - 2) != "0" && $NF != "0" { print $(NF - 2), $NF }'
}

# What perf script says that is no branch.
complaints() {
    cat "$work/log" "$work/script" | grep -vE '^ *[0-9.]+: .* =>'
}

# decode NAME CTL OPTION...: run the ROM; $work/perf is perf's list, $work/truth the emulated CPU's.
decode() {
    local name=$1 ctl=$2 size
    shift 2
    check "$name: libipt decodes the 64-bit part" env ONLY64=1 CTL="$ctl" tests/model/selftest/run.sh build "$@"
    size=$(($(stat -c %s $rom/trace.bin) - 8)) # without "PMIs" and their number
    build/tools/truth_taken $rom/branches.bin $rom/rom.bin 0x10000 >"$work/truth"
    check "$name: perf.data is written" \
        build/tools/perfdata_wrap $rom/trace.bin 0 $size "$work/perf.data" $rom/rom.bin 0x10000 "$ctl"
    perf script -i "$work/perf.data" --ns --itrace=be -F time,ip,addr,flags >"$work/script" 2>"$work/log"
    branches <"$work/script" >"$work/perf"
}

# as_perf NAME CTL TIMES OPTION...: TIMES is how many points of time perf must at least tell apart.
as_perf() {
    local name=$1 ctl=$2 times=$3
    shift 3
    decode "$name" "$ctl" "$@"
    same "$name: perf has no error" "$(complaints | head -n 5)" ''
    check "$name: perf takes the truth's $(wc -l <"$work/truth") branches" diff "$work/truth" "$work/perf"
    same "$name: perf's time goes forward, in $times steps or more" "$(awk -v least="$times" '
        $1 + 0 < last { n++ } $1 + 0 != last { steps++ } { last = $1 + 0 }
        END { print n + 0, (steps >= least ? "enough" : steps) }' "$work/script")" '0 enough'
}

# with_overflows NAME NUMBER OPTION: nothing is missing but one run of branches for each overflow, at the truth's mark.
with_overflows() {
    decode "$1" 0 "$3"
    same "$1: perf tells of $2 overflows and of no other error" \
        "$(complaints | grep -c 'code 7: Overflow packet') $(complaints | grep 'error type' | grep -vc 'code 7:')" "$2 0"
    same "$1: branches are missing at the truth's $2 marks alone" "$(diff "$work/truth" "$work/perf" | awk '
        /^[0-9]/ { hunks++ } /^>/ { more++ } /^< ffffffffffffffff / { marks++ }
        END { print hunks + 0, marks + 0, more + 0 }')" "$2 $2 0"
}

if ! command -v perf >/dev/null; then
    skip 'perf decodes the model' 'perf is not installed (linux-perf)'
    done_testing
fi
# IA32_RTIT_CTL: 2H CYCEn, 200H MTCEn, C000H MTCFreq = 3
as_perf 'TSC' 0 20
as_perf 'TSC, MTC' 0x200 1000
as_perf 'TSC, every eighth MTC' 0xc200 200
as_perf 'TSC, CYC' 0x2 5000
as_perf 'TSC, MTC, CYC' 0xc202 5000
as_perf 'a late PMI' 0 20 skid=700 seed=3
as_perf 'a late PMI and a second' 0 20 skid=700 second=400 seed=5
as_perf 'deferred TIPs' 0 20 deferred=1
as_perf 'long TNT packets' 0 20 longtnt=1
as_perf 'IPBytes 110b' 0 20 ip8=1
as_perf 'IPBytes 100b' 0 20 update48=1
as_perf 'erratum BDM70' 0 20 errata=bdm70
with_overflows 'one overflow' 1 ovf=3000:100
with_overflows 'three overflows' 3 ovf=3000:100+4000:1000+9000:300
done_testing
