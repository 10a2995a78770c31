#!/bin/bash
# Task switches by hardware (tests/guests/tasks/), which VMX leaves to the hypervisor: what tasks see, and what becomes of TSSs,
# descriptors and page tables, is the same as on the bare emulated CPU; and each branch is in the trace.
. tests/system/lib.sh

export MEMORY=256

# seen BOOT: what the guest printed.
seen() {
    tr -d '\r' <"$work/$1/console.txt" | awk '/^tasks:/' # also where the last line's end has not come out
}

check 'the guest runs on the bare CPU' boot_bare bare build/guests/tasks.bzImage 'all'
console_has 'to its end' bare 'tasks: ok'
same 'and prints a sum for each story' "$(seen bare | grep -c ': sum')" $(($(seen bare | sed -n 's/^tasks: stories //p') + 1))

# run BOOT WORDS OPTIONS
run() {
    check "$1: it runs" boot "$1" build/guests/tasks.bzImage '' "$2" "$3"
    check "$1: its tasks see what they see on the bare CPU" diff <(seen "$1") "$work/expected"
    clean_log "$1"
    same "$1: they switch" "$([ "$(truth "$1" exit_9)" -gt 100 ] && echo yes)" yes
}
seen bare >"$work/expected"
CHANNEL=none run untraced all 'pt=off channel=none'
run root all ''
exact 'root: decoded branches equal the truth' root

seen bare | grep -v -e ': sum [0-9a-f]\{8\}$' -e ' [0-9a-f]\{8\}$' >"$work/expected" # only the sum of all
for way in list vmcs; do
    PTMODEL=profile=icelake run $way '' "pt.switch=$way"
    exact "$way: decoded branches equal the truth" $way
done

# spaces BOOT: each guest CR3 in the trace, including those that only a task switch loads.
spaces() {
    build/undertrace dump "$work/$1/capture" | awk '$2 == "pip" && $4 == "nr" { print $NF }' | sort -u
}

# By single steps: beside the emulator's list of all branches.
QUIET=100 MOST=3000 PTMODEL=profile=none BRANCHES=1 WIRE='rate=0 latency=0' run soft '' 'channel=e1000 net.mtu=9000'
build/undertrace decode "$work/soft/capture" --branches - 2>/dev/null | grep -E '^[0-9a-f]{16} ' >"$work/soft/decoded"
check "soft: each of its $(wc -l <"$work/soft/decoded") branches is as the CPU took it" \
    cmp <(od -An -v -t x8 -w16 "$work/soft/branches.bin" | cut -c 2-) "$work/soft/decoded"
same 'soft: which are some' "$([ "$(wc -l <"$work/soft/decoded")" -gt 10000 ] && echo yes)" yes
check "soft: it classifies events and far returns as root does" diff <(kinds soft) <(kinds root)
for way in list vmcs soft; do
    check "$way: the trace has the address spaces that root's has" diff <(spaces $way) <(spaces root)
done
same 'of which there are some' "$([ "$(spaces root | wc -l)" -ge 5 ] && echo yes)" yes
done_testing
