#!/bin/bash
# What is traced, by option. With scope=guest the truth holds what PT traces of the guest: also, with pt.switch=root, where
# root operation is traced with it.
. tests/system/lib.sh

export PTMODEL='profile=skylake, scope=guest' MEMORY=256

# symbol NAME: its address in the guest
symbol() {
    nm build/guests/branches.elf | awk -v name="$1" 'index($3 ".", name ".") == 1 { print "0x" $1 }'
}

# near NAME FIRST LAST: START-END, by offsets in a function
near() {
    printf '%#x-%#x' $(($(symbol "$1") + $2)) $(($(symbol "$1") + $3))
}

# whole FIRST NEXT: START-END from one function up to the next
whole() {
    printf '%#x-%#x' $(($(symbol "$1"))) $(($(symbol "$2") - 1))
}

# traced NAME BOOT OPTIONS: the guest runs, and what is traced is exactly what should be
traced() {
    check "$1: the guest runs" boot_guest "$2" branches "pt.switch=${WAY:-list} $3"
    if [ "${MAY_BE_EMPTY:-0}" = 1 ] && [ "$(truth "$2" branches)" = 0 ]; then
        check "$1: nothing is decoded, as in the truth" build/undertrace verify "$work/$2/capture" "$work/$2/truth.bin"
    else
        exact "$1: decoded branches equal the truth" "$2"
    fi
}

# words NAME BOOT TEXT: undertrace info shows the text
words() {
    check "$1: info says it in words" grep -qF -- "$3" <(build/undertrace info "$work/$2/capture")
}

# outside BOOT RANGE...: how many branches lead out of the ranges. The addresses are 16 digits: as text they sort.
outside() {
    build/undertrace decode "$work/$1/capture" --branches - 2>/dev/null >"$work/$1/list"
    shift
    local range condition=1
    for range in "$@"; do
        range=${range#*:}
        condition+=$(printf ' && ($2 "" < "%016x" || $2 "" > "%016x")' $((${range%-*})) $((${range#*-})))
    done
    awk "NF == 2 && /^[0-9a-f]+ [0-9a-f]+\$/ && $condition" "$work/two/list" | wc -l
}

traced 'pt.user=off' os pt.user=off
words 'pt.user=off' os 'privilege level 0'
traced 'pt.os=off' user pt.os=off
words 'pt.os=off' user 'privilege levels 1 to 3'
traced 'pt.retc=off' retc pt.retc=off
words 'pt.retc=off' retc 'each return with its target'
traced 'pt.mtc=3 pt.cyc=0' timing 'pt.mtc=3 pt.cyc=0'
words 'pt.mtc=3 pt.cyc=0' timing 'MTC every 8 crystal clocks, CYC after 0 cycles or more'
traced 'pt.tsc=off pt.psb=2K' psb 'pt.tsc=off pt.psb=2K'
words 'pt.tsc=off pt.psb=2K' psb 'about every 2 KiB'
PTMODEL='profile=icelake, scope=guest' traced 'pt.ptwrite=on' ptwrite pt.ptwrite=on

# A TraceStop range: nothing behind its first instruction, and no gap.
breakpoint=$(symbol on_breakpoint)
traced 'pt.range0=stop' stop "$(printf 'pt.range0=stop:%#x-%#x' $((breakpoint)) $((breakpoint + 15)))"
words 'pt.range0=stop' stop 'tracing stops at the first instruction'
same 'the rest of the guest is not traced' "$(($(truth stop branches) < 200000))" 1
same 'that is no gap' "$(build/undertrace info "$work/stop/capture" | awk '$1 == "gaps" { print $2; exit }')" 0

# Filter ranges. A branch that leads out of them counts, with its target where PT or the code tells that; VM exits that do
# are none of the guest's branches.
functions=filter:$(whole fibonacci on_software)
traced 'pt.range0=filter' filter "pt.range0=$functions"
words 'pt.range0=filter' filter "only from $(whole fibonacci on_software | sed 's/-/ to /')"
handlers=filter:$(whole on_software on_undefined)
traced 'two ranges' two "pt.range0=$functions pt.range1=$handlers"
# The returns of two functions, IRETs of 23 INT n and 3 INT3.
same 'two ranges: of these, 28 lead out' "$(outside two "$functions" "$handlers")" 28
two=$(truth two branches)
WAY=root traced 'two ranges, root traced too' two "pt.range0=$functions pt.range1=$handlers"
same 'two ranges, root traced too: as many branches' "$(truth two branches)" "$two"

# Four ranges, two parts of functions, one that the next begins in the middle of an instruction, and a stop in a filter.
PTMODEL="profile=icelake, scope=guest" traced 'four ranges' four "pt.range0=filter:$(near deep 0 0x1e) \
    pt.range1=filter:$(near table 8 0xbb) pt.range2=$handlers pt.range3=stop:$(near on_divide 0 0x1f)"
words 'four ranges' four 'tracing stops at the first instruction from'

# Ranges drawn by a seed, over all of the guest's code: filter and stop, apart, within and over each other.
RANDOM=3
for try in 1 2 3 4 5 6; do
    ranges=
    for n in 0 1 2 3; do
        start=$(($(symbol start64) + RANDOM % 0xa00)) kind=filter
        [ $((RANDOM % 6)) = 0 ] && kind=stop
        ranges+=$(printf ' pt.range%d=%s:%#x-%#x' "$n" $kind "$start" $((start + (16 << RANDOM % 7))))
        [ $((RANDOM % 3)) = 0 ] && break
    done
    [ $((RANDOM % 4)) = 0 ] && ranges+=' pt.retc=off'
    [ $((RANDOM % 5)) = 0 ] && ranges+=' pt.user=off'
    [ $((RANDOM % 5)) = 0 ] && ranges+=' pt.cyc=0 pt.mtc=3'
    WAY=$([ $((try % 2)) = 0 ] && echo root || echo list) PTMODEL="profile=icelake, scope=guest" MAY_BE_EMPTY=1 \
        traced "drawn:$ranges" drawn "$ranges"
done

# An address space that is none of the guest's, and no branches at all.
for option in pt.cr3=0x7000 pt.branch=off; do
    check "$option: the guest runs" boot_guest none branches "pt.switch=list $option"
    same "$option: no branch is traced" "$(build/undertrace decode "$work/none/capture" | awk '/^branches/ { print $2 }')" 0
done
words pt.branch=off none 'branches                     no'

# What the CPU does not have.
refused() {
    PTMODEL=$2 UNTIL="$4" check "$1 is refused on $2" boot_guest refused branches "$1"
    console_has 'with what the CPU has' refused "$3"
}
refused pt.mtc=5 profile=skylake 'undertrace: pt.mtc=5: this CPU supports off 0 3 6 9' 'start the machine again'
refused pt.ptwrite=on profile=skylake 'undertrace: pt.ptwrite=on: this CPU supports off' 'start the machine again'
refused pt.range3=stop:0x1000-0x1fff profile=skylake \
    'undertrace: pt.range3=stop:0x1000-0x1fff: this CPU supports ' 'start the machine again'
done_testing
