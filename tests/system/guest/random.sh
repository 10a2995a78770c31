#!/bin/bash
# Random instructions in all modes, and random games with the machine, from a seed (tests/guests/random/) on the bare emulated CPU, untraced,
# traced, and single-stepped: the guest must see the same each time, and each branch must be in the trace, or in a named gap.
#
# RANDOM_KINDS (code modes games): which; modes is one of compat, legacy, v86 and real after the other, which are kinds as
# well. RANDOM_FIRST (0) and RANDOM_COUNT (320, of modes 64, of games 192): which seeds; RANDOM_STEPPED (64, or a multiple):
# how many of these are single-stepped as well; RANDOM_BOOT (4096): how many in one boot; RANDOM_GAPS (0): how many
# intervals may end in an error of the decoder, for 1,000 seeds. Only code that comes by a far transfer to a segment with a base, and either
# executes nothing there or does so on a page that flat code executes, has such (docs/visible.md).
#
# usage: random.sh [one SEED [KIND]]     what differs in the events of one seed
. tests/system/lib.sh

export MEMORY=128 QUIET=4
first=${RANDOM_FIRST:-0} each_boot=${RANDOM_BOOT:-4096}
gaps=${RANDOM_GAPS:-0}
guest=build/guests/random.bzImage

# hashes BOOT: what the guest printed of its seeds.
hashes() {
    tr -d '\r' <"$work/$1/console.txt" | awk '/^random: (event|[0-9])/'
}

# run WAY LINE: prints nothing but errors. Single-stepped is only random code and what games execute, where both addresses are.
run() {
    local second=0x700000004000-0x700000008fff line=$2 slow=
    case $kind in
    code) ;;
    games) second=0x400000000000-0x400000007fff line="$2 games" ;;
    *) second=0xc0004000-0xc0008fff line="$2 $kind" slow=periods=20 ;; # traced, most of it is single-stepped
    esac
    case $1 in
    bare) boot_bare bare $guest "$line" ;;
    off) CHANNEL=none boot off $guest '' "$line" 'pt=off channel=none' ;;
    on) boot on $guest '' "$line $slow" 'channel=e1000 net.mtu=9000' ;;
    soft)
        QUIET=100 MOST=3000 PTMODEL=profile=none IPS=500000000 WIRE='rate=0 latency=0' boot soft $guest '' "$line periods=20" \
            "channel=e1000 net.mtu=9000 pt.range0=filter:0x4000-0x8fff pt.range1=filter:$second"
        ;;
    esac && grep -q 'random: ok' "$work/$1/console.txt"
}

# seeds_that_differ WAY: of a line that has 64 seeds and differs. A seed whose code did not end (0) is no difference: how far it
# came is a matter of time.
seeds_that_differ() {
    local last
    diff "$work/bare.lines" <(hashes "$1") | sed -n 's/^[<>] random: \([0-9]*\) .*/\1/p' | sort -un >"$work/lines"
    head -n 4 "$work/lines" | while read -r last; do
        run bare "seed=$((last / 64 * 64)) count=$((last % 64 + 1)) each" && hashes bare >"$work/bare.each"
        run "$1" "seed=$((last / 64 * 64)) count=$((last % 64 + 1)) each"
        join -j 2 "$work/bare.each" <(hashes "$1") | awk '$3 != $5 && $3 !~ /^0*$/ && $5 !~ /^0*$/ { print $1 }'
    done
}

# events_that_differ WAY SEED
events_that_differ() {
    run bare "seed=$2 count=1 events"
    hashes bare >"$work/bare.events"
    run "$1" "seed=$2 count=1 events"
    diff "$work/bare.events" <(hashes "$1") | head -n 8
}

# traced NAME COUNT: of so many seeds each branch equals the truth; an interval that differs is one whose end the decoder could not
# reach, and says so.
traced() {
    if [ "$gaps" = 0 ]; then
        exact "$1" on
        return
    fi
    build/undertrace verify "$work/on/capture" "$work/on/truth.bin" --json "$work/on/verify.json" >"$work/on/verify.log" 2>&1
    local differ
    differ=$(jq "(.intervals - .equal_intervals - .in_gaps) as \$differ |
        if \$differ > .decode_errors then 1000 else \$differ * 1000 / $2 | ceil end" "$work/on/verify.json")
    at_most "$1: intervals that differ, for 1,000 seeds" "$differ" "$gaps"
    [ "$differ" -le "$gaps" ] || cp -a "$work/on" "$work/on.differs" # later boots replace it
}

# compare WAY FIRST COUNT: beside what the bare boot has printed.
compare() {
    local name="$kind, $1: seeds $2 to $(($2 + $3 - 1))" seeds
    if ! run "$1" "seed=$2 count=$3" >"$work/$1.log" 2>&1; then
        fail "$name" "$(tail -n 1 "$work/$1.log"); the last seeds: $(hashes "$1" | tail -n 1)"
        return
    fi
    [ "$1" != on ] || traced "$name: each branch equals the truth" "$3"
    if cmp -s <(head -n $((($3 + 63) / 64)) "$work/bare.lines") <(hashes "$1"); then
        pass "$name"
        return
    fi
    seeds=$(seeds_that_differ "$1")
    if [ -z "$seeds" ]; then
        pass "$name (but for some that did not end)"
    else
        fail "$name" "these differ from the bare CPU: ${seeds//$'\n'/ }"$'\n'"$(events_that_differ "$1" "${seeds%%$'\n'*}")"
    fi
}

if [ "${1:-}" = one ]; then
    kind=${3:-code}
    for way in off on soft; do
        echo "$way:"
        events_that_differ $way "$2"
    done
    exit
fi

for kind in ${RANDOM_KINDS:-code modes games}; do
    case $kind in
    code) counts=(320 64) ;;
    games) counts=(192 64) ;;
    *) counts=(64 64) ;;
    esac
    count=${RANDOM_COUNT:-${counts[0]}} stepped=${RANDOM_STEPPED:-${counts[1]}}
    for ((seed = first; seed < first + count; seed += each_boot)); do
        number=$((first + count - seed < each_boot ? first + count - seed : each_boot))
        check "$kind, bare: seeds $seed to $((seed + number - 1))" run bare "seed=$seed count=$number"
        hashes bare >"$work/bare.lines"
        for way in off on soft; do
            part=$number
            [ $way != soft ] || part=$((stepped < number ? stepped : number))
            compare $way $seed "$part"
        done
    done
done
done_testing
