#!/bin/bash
# What is traced, by option. With scope=guest the truth holds what PT traces of the guest: also, with pt.switch=root, where
# root operation is traced with it.
. tests/system/lib.sh

export PTMODEL='profile=skylake, scope=guest' MEMORY=256

# symbol NAME: its address in the guest
symbol() {
    nm "build/guests/${GUEST:-branches}.elf" | awk -v name="$1" 'index($3 ".", name ".") == 1 { print "0x" $1 }'
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
    check "$1: the guest runs" boot_guest "$2" "${GUEST:-branches}" "pt.switch=${WAY:-list} $3"
    if [ "$(truth "$2" branches)" = 0 ]; then
        fail "$1: something is traced" 'the truth has no branch'
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
    local list=$work/$1/list
    build/undertrace decode "$work/$1/capture" --branches - 2>/dev/null >"$list"
    shift
    local range condition=1
    for range in "$@"; do
        range=${range#*:}
        condition+=$(printf ' && ($2 "" < "%016x" || $2 "" > "%016x")' $((${range%-*})) $((${range#*-})))
    done
    awk "NF == 2 && /^[0-9a-f]+ [0-9a-f]+\$/ && $condition" "$list" | wc -l
}

# kinds BOOT: how many packets of each kind there are, as "kind number" lines; then number BOOT KIND
kinds() {
    build/undertrace dump "$work/$1/capture" | awk '{ n[$2]++ } END { for (kind in n) print kind, n[kind] }' >"$work/$1/kinds"
}
number() {
    awk -v kind="$2" '$1 == kind { n = $2 } END { print n + 0 }' "$work/$1/kinds"
}

traced 'pt.user=off' os pt.user=off
words 'pt.user=off' os 'privilege level 0'
traced 'pt.os=off' user pt.os=off
words 'pt.os=off' user 'privilege levels 1 to 3'
# A guest with a user mode on pages of its own. Where root is traced, no packet has its address space after a VM entry
# to user mode.
for WAY in list root; do
    GUEST=levels traced "levels, pt.user=off, $WAY" levels pt.user=off
    GUEST=levels traced "levels, pt.os=off, $WAY" levels pt.os=off
done
unset WAY
traced 'pt.retc=off' retc pt.retc=off
words 'pt.retc=off' retc 'each return with its target'
kinds retc
check 'pt.retc=off: a TIP for each of 1,000 returns' test "$(number retc tip)" -gt 1700
traced 'pt.mtc=3 pt.cyc=0' timing 'pt.mtc=3 pt.cyc=0'
words 'pt.mtc=3 pt.cyc=0' timing 'MTC every 8 crystal clocks, CYC after 0 cycles or more'
kinds timing
check 'there are MTC and CYC packets' test "$(number timing mtc)" -gt 1000 -a "$(number timing cyc)" -gt 100000
traced 'pt.mtc=6 pt.cyc=8' slower 'pt.mtc=6 pt.cyc=8'
kinds slower
# To the nearest: the clock of the two boots differs.
same 'pt.mtc=6: an eighth of the MTC packets' $((($(number timing mtc) * 2 / $(number slower mtc) + 1) / 2)) 8
same 'pt.cyc=8: no fewer than 128 cycles' \
    "$(build/undertrace dump "$work/slower/capture" | awk '$2 == "cyc" && length($3) < 3 && $3 < "80"' | wc -l)" 0
check 'pt.cyc=8: there are CYC packets' test "$(number slower cyc)" -gt 100
traced 'pt.tsc=off pt.psb=2K' psb 'pt.tsc=off pt.psb=2K'
words 'pt.tsc=off pt.psb=2K' psb 'about every 2 KiB'
words 'pt.tsc=off pt.psb=2K' psb 'no TSC'
kinds psb
same 'pt.tsc=off: no TSC packet' "$(number psb tsc)" 0
at_most 'pt.psb=2K: a PSB every 2 KiB or so' $(($(truth psb trace_bytes) / $(number psb psb))) 2100

# PTWRITE: each value once, in order; off, none.
PTMODEL='profile=icelake, scope=guest' GUEST=ptwrite traced 'pt.ptwrite=on' ptwrite pt.ptwrite=on
words 'pt.ptwrite=on' ptwrite 'PTWRITE                      yes'
build/undertrace dump "$work/ptwrite/capture" >"$work/ptwrite/dump"
same 'pt.ptwrite=on: the values, in order' "$(awk '$2 == "ptw" { print $4 }' "$work/ptwrite/dump" | tr -d , | sha256sum)" \
    "$(for ((i = 0; i < 500; i++)); do printf '%x\n' $((0x123456700000000 + 16 * i)) $((16 * i + 1)) $((16 * i + 2)); done | sha256sum)"
PTMODEL='profile=icelake, scope=guest' GUEST=ptwrite traced 'pt.ptwrite=off' noptwrite ''
same 'pt.ptwrite=off: no value' "$(build/undertrace dump "$work/noptwrite/capture" | awk '$2 == "ptw"' | wc -l)" 0

# A TraceStop range: nothing after its first instruction, and no gap.
breakpoint=$(symbol on_breakpoint)
traced 'pt.range0=stop' stop "$(printf 'pt.range0=stop:%#x-%#x' $((breakpoint)) $((breakpoint + 15)))"
words 'pt.range0=stop' stop 'tracing stops at the first instruction'
same 'the rest of the guest is not traced' "$(($(truth stop branches) < 200000))" 1
same 'that is no gap' "$(gaps stop true)" 0

# Filter ranges. A branch that leads out of them counts, with its target if PT or the code has it; VM exits that do
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

# Ranges drawn by a seed, over all of the guest's code: filter and stop, apart, within and over each other. The first is a
# filter over a function that is called first.
RANDOM=3
for try in 1 2 3 4 5 6; do
    ranges=
    for n in 0 1 2 3; do
        start=$(($(symbol start64) + RANDOM % 0xa00)) size=$((16 << RANDOM % 7)) kind=filter
        [ $((RANDOM % 6)) = 0 ] && kind=stop
        [ $n = 0 ] && start=$(symbol fibonacci) size=$((32 << RANDOM % 4)) kind=filter
        ranges+=$(printf ' pt.range%d=%s:%#x-%#x' "$n" $kind $((start)) $((start + size)))
        [ $((RANDOM % 3)) = 0 ] && break
    done
    [ $((RANDOM % 4)) = 0 ] && ranges+=' pt.retc=off'
    [ $((RANDOM % 5)) = 0 ] && ranges+=' pt.user=off'
    [ $((RANDOM % 5)) = 0 ] && ranges+=' pt.cyc=0 pt.mtc=3'
    WAY=$([ $((try % 2)) = 0 ] && echo root || echo list) PTMODEL="profile=icelake, scope=guest" \
        traced "drawn:$ranges" drawn "$ranges"
done

# A process with two values of CR3, as page-table isolation makes it. One of them is half of it; both are the whole, at the
# price of a VM exit at each change.
kernel=$(GUEST=spaces symbol space_a | sed 's/0x0*/0x/') user=$(printf '%#x' $((kernel + 0x1000)))
for WAY in list root; do
    GUEST=spaces traced "pt.cr3= of the kernel's half, $WAY" kernel "pt.cr3=$kernel"
    same 'no load of CR3 exits' "$(truth kernel exit_28)" 0
    GUEST=spaces traced "pt.cr3= of the user's half, $WAY" user "pt.cr3=$user"
    GUEST=spaces traced "pt.cr3= of both, $WAY" both "pt.cr3=$kernel,$user"
    same 'both halves are all branches of them' "$(truth both branches)" $(($(truth kernel branches) + $(truth user branches)))
    at_most 'an exit for each load of another value' "$(truth both exit_28)" $((2 * 225 + 6 + 10))
done
unset WAY
# What is executed between a MOV to CR3 and the SYSRET after it, with nothing traced in user mode.
GUEST=spaces traced 'pt.user=off, two values of CR3' isolated pt.user=off
words 'pt.cr3= of both' both "address spaces               only while CR3 is $kernel or $user"
console_has 'pt.cr3= of both: with PCIDs, which do not matter' both 'spaces: PCIDs 1'

# An address space that the guest does not have, and no branches at all.
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
old='profile=broadwell, vmxmisc14=1' again='start the machine again'
refused pt.mtc=5 profile=skylake 'undertrace: pt.mtc=5: this CPU supports off 0 3 6 9' "$again"
refused pt.mtc=0 "$old" 'undertrace: pt.mtc=0: this CPU supports off' "$again"
refused pt.cyc=15 profile=skylake \
    'undertrace: pt.cyc=15: this CPU supports off 0 1 2 3 4 5 6 7 8 9 10 11 12 13' "$again"
refused pt.psb=1M profile=skylake 'undertrace: pt.psb=1M: this CPU supports auto 0 2K 4K 8K 16K 32K 64K' "$again"
refused pt.psb=2K "$old" 'undertrace: pt.psb=2K: this CPU supports auto 0' "$again"
refused pt.ptwrite=on profile=skylake 'undertrace: pt.ptwrite=on: this CPU supports off' "$again"
refused pt.branch=off "$old" 'undertrace: pt.branch=off: this CPU supports on' "$again"
refused pt.cr3=0x1000,0x2000 'profile=custom, cpuid14=1:e:7:0' \
    'undertrace: pt.cr3=0x1000,0x2000: this CPU supports off' "$again"
refused pt.range3=stop:0x1000-0x1fff profile=skylake \
    'undertrace: pt.range3=stop:0x1000-0x1fff: this CPU supports only pt.range0 pt.range1' "$again"
refused pt.range0=filter:0x1000-0x1fff "$old" \
    'undertrace: pt.range0=filter:0x1000-0x1fff: this CPU supports no ranges' "$again"
done_testing
