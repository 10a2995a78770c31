#!/bin/bash
# CPUs whose TSCs differ, from the start (tsc_skew) or because the guest writes them: it sees what it sees on the bare emulated
# CPUs, and in the trace what the CPUs did in turns has the order that it had.
. tests/system/lib.sh

export MEMORY=256 QUIET=3 CPUS=2
mark=$(nm build/guests/clocks.elf | awk '$3 == "turn_mark" { print $1 }')

# seen BOOT: what the guest printed.
seen() {
    tr -d '\r' <"$work/$1/console.txt" | grep '^clocks:'
}

# turns BOOT: the CPUs that took turns, in the order of the trace's time.
turns() {
    build/undertrace decode "$work/$1/capture" --merged - 2>"$work/$1/merged.log" | awk -v mark="$mark" '$4 == mark { print $2 }'
}

# run NAME SKEW WORDS OPTIONS NUMBER: of turns
run() {
    PTMODEL="${PROFILE:-profile=skylake}, tsc_skew=$2" check "$1: it runs" boot "$1" build/guests/clocks.bzImage '' "$3" "$4"
    console_has "$1: to its end" "$1" 'clocks: ok'
    [ -n "$3" ] || check "$1: it sees what it sees on bare CPUs" diff <(seen "$1") <(seen bare)
    check "$1: $5 turns are in their order" cmp <(turns "$1") <(for ((i = 0; i < $5; i++)); do echo $((i & 1)); done)
}

# ahead BOOT CPU: by how many ticks the CPU's TSC was ahead at the start, as the capture says.
ahead() {
    info "$1" ".streams[$2].clock[0].ahead // 0"
}

PTMODEL=profile=none check 'bare: it runs' boot_bare bare build/guests/clocks.bzImage ''
console_has 'bare: to its end' bare 'clocks: ok'

run written 0 '' '' 200
exact 'written: decoded branches equal the truth' written
same 'written: the capture has each write' "$(info written '[.streams[].clock[].written] | join(" ")')" 'true true true true'
same 'written: and its ticks' "$(info written '.streams[1].clock[0].ahead')" 5000000000
check 'written: info says so' grep -q 'TSC written by the guest' <(build/undertrace info "$work/written/capture")

run both -30000 '' 'pt.switch=list' 200
exact 'both: decoded branches equal the truth' both
run ahead 1000000000 still '' 40
check 'ahead: CPU 1 is known to be so' awk -v is="$(ahead ahead 1)" 'BEGIN { exit !(is >= 999999900 && is <= 1000000100) }'

# Clocks that agree have no record.
run none 0 still '' 40
same 'none: no clock record' "$(info none '[.streams[].records.clock] | add')" 0

# Code that one CPU executes and the other one writes: neither is kept waiting, or loses the page before its turn.
PTMODEL='profile=skylake, tsc_skew=-30000' BRANCHES=1 TIMES=1 check 'smp: it runs' boot smp build/guests/smp.bzImage '' 'cpus=2 stops=0' ''
console_has 'smp: and finds itself in order' smp 'smp: ok'
exact 'smp: decoded branches equal the truth' smp
at_most 'smp: EPT violations' "$(truth smp exit_48)" 1000

# off CPU: beside the emulator's TSC of each branch, minus the skew.
off() {
    build/tools/times_agree "$work/smp/capture" "$work/smp/branches.bin$1" "$2" "$3" | tail -n 1 | sed -n 's/.*; \([0-9]*\) outside.*/\1/p'
}
same 'smp: CPU 0: branches outside of their bounds' "$(off '' 0 0)" 0
same 'smp: CPU 1: branches outside of their bounds' "$(off .cpu1 1 "$(ahead smp 1)")" 0
done_testing
