#!/bin/bash
# Events whose delivery meets a page fault or an EPT violation (tests/guests/events/): the guest sees what the manual's tables
# say, on the bare CPU, untraced, traced, and single-stepped.
. tests/system/lib.sh

export MEMORY=256 MOST=3

# seen BOOT: what the guest printed.
seen() {
    tr -d '\r' <"$work/$1/console.txt" | grep '^events:'
}

# Vol. 3A, Table "Conditions for Generating a Double Fault". A vector, /error code of a page fault, and CR2: i and j are the pages of
# the IDT, s the stack, d data. A page fault during the delivery of an NMI or an interrupt is delivered instead of it; an instruction
# is executed again and its exception or INT n delivered after the fault; the trap of a single step comes after the next instruction.
expected() {
    local gate='14/0i' late='14/0j' stack='14/2s' event
    printf 'events: %s\n' start "gate divide $gate 0" "gate step $gate 1" "gate int1 $gate 1" "gate nmi $gate" "gate int3 $gate 3" \
        "gate into $gate 4" "gate undefined $gate 6" "gate protection $gate 13/4096" 'gate page 8j' "gate interrupt $late lost" \
        "gate int $late 33" "stack divide $stack 0" "stack step $stack 1" "stack int1 $stack 1" "stack nmi $stack" \
        "stack int3 $stack 3" "stack into $stack 4" "stack undefined $stack 6" "stack protection $stack 13/4096" 'stack page 8s' \
        "stack interrupt $stack lost" "stack int $stack 33" 'code divide 0' 'code step 1' 'code int1 1' 'code nmi 2' 'code int3 3' \
        'code into 4' 'code undefined 6' 'code protection 13/4096' 'code page 14/2d' 'code interrupt 32' 'code int 33'
    for event in divide step int1 nmi int3 into undefined protection page interrupt int; do
        echo "events: both $event 8s" # the event's stack is absent, and then that of #PF
    done
    printf 'events: %s\n' 'double page 8j' 'iret twice 2 2 14/0s' ok
}

check 'events runs on the bare CPU' boot_bare bare build/guests/events.bzImage ''
check 'bare: the guest sees what the manual says' diff <(expected) <(seen bare)
for way in off cpu soft; do
    BRANCHES=1 check "pt=$way: events runs" boot $way build/guests/events.bzImage '' '' "channel=e1000 net.mtu=9000 pt=$way"
    check "pt=$way: it sees the same" diff <(seen bare) <(seen $way)
    clean_log $way
done
exact 'all branches equal the truth' cpu
build/undertrace decode "$work/soft/capture" --branches - 2>"$work/soft/decode.log" | grep -E '^[0-9a-f]{16} ' >"$work/soft/decoded"
check "with pt=soft, too ($(wc -l <"$work/soft/decoded") branches)" \
    cmp <(od -An -v -t x8 -w16 "$work/soft/branches.bin" | cut -c 2-) "$work/soft/decoded"
at_most 'which are some' 1000 "$(wc -l <"$work/soft/decoded")"

# A triple fault, where each delivery exits: by an exception without an IDT, by a page fault without gates, and by a double fault
# without a stack.
for end in idt gates stack; do
    ENDS=reset check "end=$end: the machine is reset" boot $end build/guests/events.bzImage '' end=$end ''
    console_has "end=$end: by a triple fault" $end 'guest triple fault on CPU 0'
    exact "end=$end: all branches equal the truth" $end
done
done_testing
