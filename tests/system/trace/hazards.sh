#!/bin/bash
# Each hazard of the PMI and of the output, forced in the model: no byte is lost or doubled without a gap record.
. tests/system/lib.sh

# try NAME MODEL OPTIONS [GUEST]: boot `load`, and compare. An operational error that the model was not asked for is ours.
try() {
    local guest=${4:-load}
    PTMODEL=$2 check "$1: $guest runs to power-off" boot_guest "$1" "$guest" "channel=e1000 net.mtu=9000 $3"
    console_has "$1: the guest notices nothing" "$1" "$guest: ok"
    check "$1: outside of the gaps all equals the truth" build/undertrace verify "$work/$1/capture" "$work/$1/truth.bin" \
        --json "$work/$1/verify.json"
    if jq -e '.matched > 0' "$work/$1/verify.json" >/dev/null; then
        pass "$1: that is something ($(jq '"\(.matched) of \(.branches)"' -r "$work/$1/verify.json") branches)"
    else
        fail "$1: that is something" 'no branch matched'
    fi
    [[ $2 == *spoil=* ]] || same "$1: no operational error" "$(jq .end.errors "$work/$1/capture/meta.json")" 0
}
end() {
    jq -r ".end.$2" "$work/$1/capture/meta.json"
}
# some NAME BOOT FIELD: the end record counts at least one.
some() {
    if [ "$(end "$2" "$3")" -gt 0 ] 2>/dev/null; then pass "$1 ($(end "$2" "$3"))"; else fail "$1" "$3 is $(end "$2" "$3")"; fi
}
none() {
    same "$1" "$(end "$2" "$3")" 0
}
broadwell='profile=broadwell, vmxmisc14=1'

try skid 'profile=skylake, skid=16000, seed=1' 'pt.region=16K pt.regions=8'
none 'skid into the next region: no gap' skid gaps

try merged 'profile=skylake, skid=60000' 'pt.region=16K pt.regions=16'
none 'skid over three regions: no gap' merged gaps
at_most 'skid over three regions: PMIs were merged, one drain served several' "$(end merged pmis)" $(($(end merged regions) / 3))

try second 'profile=skylake, second=0' 'pt.region=16K'
none 'a second PMI at once: no gap' second gaps
at_most 'a second PMI at once is one with the first' "$(end second pmis)" "$(end second regions)"
try later 'profile=skylake, skid=5000, second=200, seed=7' 'pt.region=16K'
none 'a second PMI after the first was taken: no gap' later gaps
some 'a second PMI after the first was taken finds nothing to do' later spurious_pmis

# What the processor was doing when PMIs came: `blocked` does all of it, with interrupts off but where it says so.
# met NAME BOOT WORD: it was this at least once.
met() {
    local times
    times=$(grep -o "ptmodel: PMIs:.* $3 [0-9]*" "$work/$2/emulator.log" | awk '{ print $NF }')
    if [ "${times:-0}" -gt 0 ]; then pass "$1 ($times PMIs)"; else fail "$1" "$(grep ptmodel "$work/$2/emulator.log")"; fi
}
try blocked 'profile=skylake' 'pt.region=4K pt.regions=16' blocked
met 'with interrupts off' blocked if-off
met 'after STI and MOV SS' blocked shadow
met 'in a handler of an NMI' blocked nmi-blocked
met 'at an exit, so that the NMI comes in root' blocked root
none 'these PMIs: no gap' blocked gaps
# So many ticks later than the bytes say, whatever is executed then: LVTPC is found masked in root, before its NMI was
# judged; a halt is interrupted, and continues.
for way in root list; do
    try late$way 'profile=skylake, late=3000, seed=3' "pt.region=4K pt.regions=16 pt.switch=$way" blocked
    met 'in root' late$way root
    met 'halted' late$way halted
    none 'late PMIs: no gap' late$way gaps
    none 'late PMIs: LVTPC was never taken for the guest'"'"'s' late$way lvtpc_repairs
done
try soon 'profile=skylake, late=60, skid=300, second=90, seed=5' 'pt.region=4K pt.regions=16' blocked
none 'PMIs soon after each other: no gap' soon gaps

# A CPU on which bit 55 of IA32_PERF_GLOBAL_STATUS, unacknowledged by 390H, keeps all further PMIs back.
for way in root list; do
    try hold$way 'profile=skylake, hold=1' "pt.region=16K pt.regions=8 pt.switch=$way"
    none 'each PMI is acknowledged: no gap' hold$way gaps
    same 'each PMI is acknowledged: none was held back' "$(grep -o 'held [0-9]*$' "$work/hold$way/emulator.log")" 'held 0'
    same 'each PMI is acknowledged: all came' "$(end hold$way pmis)" "$(truth hold$way pmis)"
done

# TraceEn is cleared at an exit, and PMIs that wait for their skid are lost: here, at 20,000 exits, all. A region is more
# than is written between two polls of the pointers (70 KB: 300,000 ticks with an exit every 260).
try lost 'profile=skylake, skid=2000, lost=1' 'pt.region=128K pt.regions=4' exits
none 'all PMIs are lost: none came' lost pmis
none 'all PMIs are lost: no gap' lost gaps
some 'all PMIs are lost: regions are handed over all the same' lost regions
try lonelost "$broadwell, skid=200, lost=1" 'pt.region=1M' exits
none 'one region at a time, all PMIs are lost: no gap' lonelost gaps

try cached 'profile=skylake, ahead=8, skid=4000, seed=2' 'pt.region=4K pt.regions=4'
none 'entries that were read ahead: no gap' cached gaps

# Beyond STOP: Stopped comes with INT, the offset is the region's size.
try stop 'profile=skylake, skid=300000' 'pt.region=16K pt.regions=4'
some 'skid beyond STOP: the stops are reported' stop stopped
same 'skid beyond STOP: each has its gap record' "$(gaps stop '.cause == "stopped"')" "$(end stop stopped)"

try spoilt 'profile=skylake, spoil=40' 'pt.region=16K pt.regions=8'
some 'operational errors: found and repaired' spoilt errors
same 'operational errors: the entry and what is wrong are named' \
    "$(grep -caE 'ToPA entry [0-7] .*reserved bits are set in a ToPA entry' "$work/spoilt/capture/events.bin" | sed 's/[1-9][0-9]*/some/')" some
none 'operational errors: nothing else was lost' spoilt stopped

try single "$broadwell" 'pt.region=16K'
none 'one region at a time: the early PMI is early enough' single gaps
try lonestop "$broadwell, skid=3000, seed=3" 'pt.region=16K'
some 'one region at a time, skid beyond its end: the stops are reported' lonestop stopped
try lonewrap "$broadwell, skid=3000, seed=3" 'pt.region=16K pt.stop=off'
some 'one region at a time without STOP: the wraps are found out' lonewrap overruns
none 'one region at a time without STOP: nothing stops' lonewrap stopped
try lonespoilt "$broadwell, spoil=60" 'pt.region=16K'
some 'one region at a time: operational errors are found and repaired' lonespoilt errors

try range 'profile=skylake' 'pt.scheme=range'
none 'a single range, large enough: no gap' range gaps
try rangesmall 'profile=skylake' 'pt.scheme=range pt.region=16K pt.regions=4'
some 'a single range, too small: the wraps are found out' rangesmall overruns

try chained 'profile=skylake, skid=2000, seed=4' 'pt.region=4K pt.regions=600'
none 'two tables, linked by END: no gap' chained gaps
done_testing
