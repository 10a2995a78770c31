#!/bin/bash
# A guest that does to the hypervisor what it should survive (tests/guests/hostile.c): addresses that lead nowhere, and a CPU that
# does not let go of a page.
. tests/system/lib.sh

export MEMORY=256

# hostile NAME CPUS CMDLINE
hostile() {
    CPUS=$2 boot "$1" build/guests/hostile.bzImage '' "$3" 'channel=e1000'
}

# number BOOT TEXT: what the guest printed after the text.
number() {
    tr -d '\r' <"$work/$1/console.txt" | sed -n "s/^hostile: $2 //p"
}

check 'addresses: the guest runs' hostile addresses 1 addresses
console_has 'addresses: to its end' addresses 'hostile: ok'
same 'addresses: it executes the page that it has mapped' "$(number addresses 'the same, mapped at a fault')" 7
same 'addresses: above memory there is no instruction' "$(number addresses 'undefined instructions')" 1
same 'addresses: the local APIC stays in reach' "$(number addresses 'refused bases of the local APIC')" 1
clean_log addresses

check 'hidden: the guest runs' hostile hidden 1 hidden
console_has 'hidden: to its end' hidden 'hostile: ok'
same 'hidden: code there is undefined instructions' "$(number hidden 'undefined instructions in hidden memory')" 2
same 'hidden: and so it is in the local APIC' "$(number hidden 'and in the local APIC')" 4
same 'hidden: whose registers are still there' "$(number hidden 'its version is still there')" 1
same 'hidden: 32 pages are written by one instruction, and read as ones' "$(number hidden 'words of ones')" 32768
exact 'hidden: all branches equal the truth' hidden
clean_log hidden

CHANNEL=none check 'addresses: the guest runs untraced' boot untraced build/guests/hostile.bzImage '' addresses 'pt=off channel=none'
same 'addresses: the local APIC stays in reach, untraced' "$(number untraced 'refused bases of the local APIC')" 1

# INS and OUTS on CONFIG_ADDRESS, which exits: the guest sees what it sees on the bare CPU.
printed() { tr -d '\r' <"$work/$1/console.txt" | grep '^hostile:'; }
check 'strings: the guest runs on the bare CPU' boot_bare bare build/guests/hostile.bzImage strings
for way in off cpu soft; do
    CPUS=1 check "strings: pt=$way" boot strings-$way build/guests/hostile.bzImage '' strings "channel=e1000 pt=$way"
    check "strings: pt=$way: it sees the same" diff <(printed bare) <(printed strings-$way)
    clean_log strings-$way
done
same 'strings: two page faults by writes, then two by reads' "$(number strings-cpu ' #PF')" 3030101
exact 'strings: all branches equal the truth' strings-cpu

# A turn is 20,000 ticks; the rest is the way through root mode of both CPUs, which wait for the wire as well.
check 'contend: the guest runs' hostile contend 2 cpus=2
console_has 'contend: to its end' contend 'hostile: ok'
at_most 'contend: a write waits for a few turns' "$(number contend 'longest write')" 200000
exact 'contend: all branches equal the truth' contend
clean_log contend
done_testing
