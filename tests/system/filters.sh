#!/bin/bash
# What is traced, by option: with scope=traced the truth counts what PT traces, and with pt.switch=list that is the guest
# alone.
. tests/system/lib.sh

export PTMODEL='profile=icelake, scope=traced' MEMORY=256

# symbol NAME: its address in the guest
symbol() {
    nm build/guests/branches.elf | awk -v name="$1" '$3 == name { print "0x" $1 }'
}

# traced NAME BOOT OPTIONS: the guest runs, and what is traced is exactly what should be
traced() {
    check "$1: the guest runs" boot_guest "$2" branches "pt.switch=list $3"
    exact "$1: decoded branches equal the truth" "$2"
}

# words NAME BOOT TEXT: undertrace info shows the text
words() {
    check "$1: info says it in words" grep -qF -- "$3" <(build/undertrace info "$work/$2/capture")
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
traced 'pt.ptwrite=on' ptwrite pt.ptwrite=on

# A TraceStop range: nothing behind its first instruction, and no gap.
breakpoint=$(symbol on_breakpoint)
traced 'pt.range0=stop' stop "$(printf 'pt.range0=stop:%#x-%#x' $((breakpoint)) $((breakpoint + 15)))"
words 'pt.range0=stop' stop 'tracing stops at the first instruction'
same 'the rest of the guest is not traced' "$(($(truth stop branches) < 200000))" 1
same 'that is no gap' "$(build/undertrace info "$work/stop/capture" | awk '$1 == "gaps" { print $2; exit }')" 0

# A filter range. The truth leaves out branches that lead out of it, the trace tells most of them: so the count is
# between, and all of them lie inside.
first=$(symbol fibonacci) last=$(($(symbol unusual) - 1))
check 'pt.range0=filter: the guest runs' boot_guest filter branches \
    "$(printf 'pt.switch=list pt.range0=filter:%#x-%#x' $((first)) "$last")"
build/undertrace decode "$work/filter/capture" --branches "$work/filter/list" >"$work/filter/decode.log" 2>&1
same 'pt.range0=filter: decodes without an error' $? 0
# count FIELD: branches whose address, 1, or target, 2, lies outside. The addresses are 16 digits: as text they sort.
count() {
    awk -v field="$1" -v first="$(printf %016x $((first)))" -v last="$(printf %016x "$last")" '
        { at = $field "" } at < first "" || at > last ""' "$work/filter/list" | wc -l
}
same 'each branch lies inside' "$(count 1)" 0
leaving=$(count 2)
same 'less those that lead outside they are as many as the truth counts' \
    $(($(wc -l <"$work/filter/list") - leaving)) "$(truth filter branches)"
words 'pt.range0=filter' filter "$(printf 'only from %#x to %#x' $((first)) "$last")"

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
