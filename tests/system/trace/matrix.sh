#!/bin/bash
# A matrix of short boots: output schemes x region sizes and numbers x skids and second PMIs x policies x ways across VM
# entries x wires x ends of the guest, drawn by a seed: the same ones each time. Every capture must equal the truth
# outside of the gaps that it records, and there must be no gap that the hardware did not force.
#
# MATRIX_SEED (1) names the sequence, MATRIX_FIRST (0) where in it to begin, MATRIX_COUNT (48) how many. MATRIX_JOBS (2)
# run at once. MATRIX_SMP (4): every so many places have 2 CPUs and a guest for them; 0: none.
#
# usage: matrix.sh [one INDEX DIR]     the boot of one place in the sequence, for looking into it
set -u

seed=${MATRIX_SEED:-1}
smp=${MATRIX_SMP:-4}
guests='load branches selfmod ends smp'

# --- what is drawn ----------------------------------------------------------------------------------------------------

# A number below $1, from the sequence that seed and index begin: 31 bits of a linear congruential generator (glibc's).
state=0
below() {
    state=$(((state * 1103515245 + 12345) & 0x7fffffff))
    drawn=$(((state >> 8) % $1))
}
pick() {
    below $#
    shift $drawn
    picked=$1
}

# Scheme, profile, regions. Sets scheme, profile, bytes (of a region), margin (a skid of so many bytes costs nothing).
draw_output() {
    local size regions
    profile=skylake
    pick topa topa chained single single forced range
    scheme=$picked
    pick 4 8 16 32 64 128 256 512 1024 4096
    size=$picked
    below 12
    regions=$((4 + drawn))
    margin=$((size * 1024 - 100))
    options="pt.scheme=$scheme"
    case $scheme in
    chained)
        size=4 margin=3996
        pick 511 512 600 1022 1023 2044 4096
        regions=$picked
        options="pt.scheme=topa"
        ;;
    single | forced)
        margin=$((size * 512 - 200)) # half a region
        [ $size != 4 ] || margin=-1
        [ $scheme = forced ] || profile='broadwell, vmxmisc14=1' margin=100
        pick on off
        options="pt.scheme=single pt.stop=$picked"
        ;;
    range)
        # What is written between two exits must be less than half of it.
        [ $((size * regions)) -ge 1024 ] && margin=1000000 || margin=-1
        ;;
    esac
    bytes=$((size * 1024))
    options="$options pt.region=$((size < 1024 ? size : size / 1024))$([ $size -lt 1024 ] && echo K || echo M)"
    options="$options pt.regions=$regions"
}

# The interrupt. Sets words (of the emulator), sound (1: nothing but the policy may cause a gap), round (1: it comes when
# a region that has no STOP was gone round).
draw_pmi() {
    local skid
    pick 0 0 10 100 400 1000 4000 9000 20000 70000 300000
    skid=$picked
    sound=$((skid <= margin)) round=$((skid > bytes))
    words="profile=$profile, skid=$skid, seed=$((index + 1))"
    pick 0 0 1 50 5000
    [ "$picked" = 0 ] || words="$words, second=$picked"
    pick 0 1 3 8
    words="$words, ahead=$picked"
}

# The way across VM entries: the controls that load and clear IA32_RTIT_CTL are one profile's.
draw_switch() {
    pick root root list vmcs
    way=$picked
    case $way,$profile in
    vmcs,skylake) profile=icelake ;;
    vmcs,*) way=list ;;
    esac
    options="$options pt.switch=$way"
}

# The policy, the wire, the guest and how it ends. Sets policy, wire, guest, line (its command line), ends.
draw_policy() {
    wire='' line='' ends=power-off end=off
    pick stall stall drop drop ring ring ring
    policy=$picked
    options="$options policy=$policy"
    [ $policy != ring ] || options="$options pt.psb=2K"
    pick load load branches selfmod ends
    guest=$picked
    pick '' '' 'rate=60' "drop=3 reorder=5 duplicate=3 seed=$((index + 1))"
    wire=$picked
    if [ $policy = ring ]; then
        pick power-off snapshot cf9 keyboard triple trigger
        end=$picked guest=ends
        case $end in
        power-off) guest=load ;;
        snapshot)
            below 400
            guest=load wire="$wire at=$((50 + drawn))000:snapshot"
            ;;
        trigger) options="$options pt.trigger=0x$(nm build/guests/ends.elf | awk '$3 == "ends_here" { print $1 }')" ;;
        esac
    elif [ $guest = ends ]; then
        pick off cf9 keyboard triple
        end=$picked
    fi
    case $end in
    cf9 | keyboard) line=$end ends=reset ;;
    triple) line=$end ends=stop options="$options triple=stop" ;;
    esac
}

# Two CPUs, without a further draw: the same places as with one. A snapshot's time and a trigger are those of other guests.
draw_cpus() {
    cpus=1
    [ "$smp" != 0 ] && [ $((index % smp)) = 0 ] || return 0
    case $end in snapshot | trigger) return 0 ;; esac
    cpus=2 guest=smp line="cpus=2 rounds=200000 $line"
}

draw() {
    index=$1
    state=$((((seed << 16) + index) * 2654435761 % 0x7fffffff))
    for ((n = 0; n < 8; n++)); do below 1000; done
    draw_output
    draw_switch
    draw_pmi
    draw_policy
    draw_cpus
    # PSB frequencies are not a broadwell's to choose.
    [[ $profile != broadwell* ]] || options=${options/ pt.psb=2K/}
    pick on off
    options="channel=e1000 net.mtu=9000 $options pt.retc=$picked"
    # PMIs that never come, or come long after their skid: they cost a region's size, which is reported.
    pick '' '' '' lost=1 late=20000
    [ -z "$picked" ] || words="$words, $picked" sound=0
    [ $((index % 3)) != 0 ] || words="$words, hold=1"
    what="$options, $words, $guest $end${wire:+, $wire}"
    [ $cpus = 1 ] || what="$what, $cpus CPUs"
}

# --- boots ------------------------------------------------------------------------------------------------------------

# An image of each guest has blanks where a boot's words go: a file in it is one run of bytes.
options_blank=$(printf '_%.0s' {1..300})
line_blank=$(printf '_%.0s' {1..40})
blank_images() {
    local guest
    for guest in $guests; do
        ELF=build/undertrace.elf KERNEL=build/guests/$guest.bzImage INITRD='' CMDLINE=$line_blank OPTIONS=$options_blank \
            tests/rig/iso.sh "$1/$guest.iso" || exit 1
    done
}

# put IMAGE BLANK TEXT
put() {
    local at
    at=$(LC_ALL=C grep -abo -m 1 -- " $2\$" "$1" | head -n 1 | cut -d : -f 1)
    printf "%-${#2}s" "$3" | dd of="$1" bs=1 seek=$((at + 1)) conv=notrunc status=none
}

# sum JQ DIR: a figure of the end record, of all CPUs
sum() {
    jq "[(.ends // [.end])[] | $1] | add" "$2/capture/meta.json"
}

# Prints what is wrong with the capture in $1, or nothing.
judge() {
    local dir=$1 forced
    if ! build/undertrace verify --threads 1 "$dir/capture" "$dir/truth.bin" --json "$dir/verify.json" \
        >"$dir/verify.log" 2>&1; then
        grep -v '^instr\|^seconds' "$dir/verify.log" | tr '\n' ';'
        return
    fi
    matched=$(jq .matched "$dir/verify.json")
    gaps=$(sum .gaps "$dir")
    forced=$(sum '.stopped + .errors + .overruns' "$dir")
    # A range goes over what was not handed over in time, whatever the policy.
    [ $scheme != range ] || [ $policy = ring ] || forced=$((forced + $(sum .forgotten "$dir")))
    if [ $sound = 1 ] && [ "$forced" != 0 ]; then
        echo "$forced gaps that nothing forced"
    elif [ $policy = stall ] && [ "$gaps" != "$forced" ]; then
        echo "$gaps gaps, $forced of them forced"
    elif [ "$gaps" = 0 ] && ! jq -e '.matched == .branches' "$dir/verify.json" >/dev/null; then
        echo 'no gap, but not all branches'
    # Without PMIs all may have been written over, as where each comes a round later; and where they come too late, what
    # the flight recorder still keeps.
    elif [ "$matched" = 0 ] && [[ $words != *lost=1* && "$round $options" != 1*pt.stop=off* ]] && { [ $sound = 1 ] || [ $policy != ring ]; }; then
        echo 'no branch arrived'
    fi
}

# one INDEX DIR: "ok INDEX what" or "not ok INDEX what" and why.
one() {
    local dir=$2/$1 wrong
    draw "$1"
    mkdir -p "$2"
    [ "$2/$guest.iso" -nt build/undertrace.elf ] || blank_images "$2"
    cp "$2/$guest.iso" "$dir.iso"
    put "$dir.iso" "$options_blank" "$options"
    put "$dir.iso" "$line_blank" "$line"
    if ! ISO=$dir.iso CPUS=$cpus ENDS=$ends PTMODEL=$words WIRE=$wire MEMORY=256 tests/rig/boot.sh "$dir" >"$dir.log" 2>&1; then
        echo "not ok $index $what: the boot failed: $(tail -n 1 "$dir.log")"
        return
    fi
    wrong=$(judge "$dir") gaps=$(sum .gaps "$dir")
    if [ -n "$wrong" ]; then
        echo "not ok $index $what: $wrong"
        return
    fi
    echo "ok $index $what ($gaps gaps," \
        "$(jq .matched "$dir/verify.json") of $(jq .branches "$dir/verify.json") branches)"
    [ -n "${MATRIX_KEEP-1}" ] || rm -rf "$dir" "$dir.iso" "$dir.log"
}

if [ "${1:-}" = one ]; then
    one "$2" "$3"
    exit
fi

. tests/system/lib.sh
first=${MATRIX_FIRST:-0} count=${MATRIX_COUNT:-48}
blank_images "$work"
for ((i = first; i < first + count; i++)); do
    while [ "$(jobs -rp | wc -l)" -ge "${MATRIX_JOBS:-2}" ]; do wait -n; done
    MATRIX_KEEP='' "$0" one "$i" "$work" >"$work/$i.result" 2>&1 &
done
wait
declare -A seen=()
for ((i = first; i < first + count; i++)); do
    result=$(cat "$work/$i.result")
    if [[ $result == ok\ * ]]; then pass "${result#ok }"; else fail "${result#not ok }" ''; fi
    draw "$i"
    for pair in "$scheme $policy" "$scheme $way" "$way $policy" "$policy $end"; do
        seen[$pair]=$((${seen[$pair]:-0} + 1))
    done
done
if [ "$count" -ge 200 ]; then
    for pair in {topa,chained,single,forced,range}\ {stall,drop,ring} {topa,chained,forced,range}\ {root,list,vmcs} \
        single\ {root,list} {root,list,vmcs}\ {stall,drop,ring} ring\ {power-off,snapshot,cf9,keyboard,triple,trigger}; do
        [ -n "${seen[$pair]:-}" ] || fail "among the boots is one of each pair: $pair" 'there is none'
    done
    pass 'among the boots is one of each pair'
fi
done_testing
