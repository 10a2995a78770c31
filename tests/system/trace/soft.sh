#!/bin/bash
# pt=soft on a CPU without Intel PT: single steps make the trace, and every branch in it is as the CPU took it. The emulator's
# list of all branches is the judge: where no PT writes PSBs, its truth has no intervals.
. tests/system/lib.sh

export PTMODEL=profile=none MEMORY=256 QUIET=100 MOST=3000 WIRE='rate=0 latency=0'

# listed BOOT [CPU]: the emulator's list, as `undertrace decode --branches` writes it.
listed() {
    od -An -v -t x8 -w16 "$work/$1/branches.bin${2:+.cpu$2}" | cut -c 2-
}

decoded() {
    build/undertrace decode "$work/$1/capture" --cpu "${2:-0}" --branches - 2>"$work/$1/decode.log" >"$work/$1/decoded${2:-0}"
}

# branches_of BOOT [CPU]: without the figures.
branches_of() {
    grep -E '^[0-9a-f]{16} ' "$work/$1/decoded${2:-0}"
}

# equal NAME BOOT [CPU]: the same branches, and some.
equal() {
    local first number
    decoded "$2" "${3:-0}" || { fail "$1" "$(head -n 5 "$work/$2/decode.log")"; return; }
    branches_of "$2" "${3:-0}" >"$work/$2/branches"
    number=$(wc -l <"$work/$2/branches")
    first=$(cmp <(listed "$2" "${3:-}") "$work/$2/branches" 2>&1)
    if [ -z "$first" ] && [ "$number" -gt 0 ]; then
        pass "$1 ($number branches)"
    else
        fail "$1" "$number branches are decoded; $first"
    fi
}

# steps_of BOOT: what `steps` printed, also where the last line's end has not come out.
steps_of() {
    tr -d '\r' <"$work/$1/console.txt" | awk '/^steps:/'
}

# run BOOT GUEST WORDS OPTIONS
run() {
    BRANCHES=1 check "$1: $2 runs to its end" boot "$1" "build/guests/$2.bzImage" '' "$3" "channel=e1000 net.mtu=9000 $4"
    console_has "$1: and finds itself in order" "$1" "$2: ok"
    clean_log "$1"
}

for guest in selfmod branches exits spaces; do
    run $guest $guest '' ''
    equal "$guest: every branch is what was decoded" $guest
done
console_has 'it is said why' selfmod 'tracing by single-stepping'
same 'no gap' "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/branches/capture/meta.json")" 0

# Regions so small that they fill now and then: PMIs without an interrupt.
run small branches '' 'pt.region=4K pt.regions=4 pt.psb=2K'
equal 'small regions: every branch is what was decoded' small
same 'PMIs are served' "$(jq '[(.ends // [.end])[] | .pmis] | add > 0' "$work/small/capture/meta.json")" true

# The same guest by the CPU's own PT: the same branches, but for those that wait for the UART.
apart_from_waiting() {
    local wait
    wait=$(nm build/guests/selfmod.elf | sed -n 's/ [tT] console_text$//p')
    awk -v from="$wait" '!($1 >= from && $1 < sprintf("%s", to)) ' to="$(nm -n build/guests/selfmod.elf |
        awk '/ console_text$/ { getline; print $1 }')" <(branches_of "$1") >"$work/$1/moving"
}
PTMODEL=profile=skylake run hard selfmod '' pt=cpu
PTMODEL=profile=skylake run forced selfmod '' pt=soft
equal 'pt=soft on a CPU that has PT: every branch is what was decoded' forced
decoded hard
apart_from_waiting hard
apart_from_waiting forced
check "and they are those that its own PT traces ($(wc -l <"$work/hard/moving"))" cmp "$work/hard/moving" "$work/forced/moving"

# A guest that steps itself, with interrupts between: it sees what it sees on the bare CPU, and each event is decoded as
# one.
check 'steps runs on the bare CPU' boot_bare bare build/guests/steps.bzImage ''
run steps steps '' ''
check 'steps: it sees what it sees on the bare CPU' diff <(steps_of bare) <(steps_of steps)
equal 'steps: every branch is what was decoded' steps
PTMODEL=profile=skylake run hard_steps steps '' pt=cpu
exact 'steps: decoded branches equal the truth where the CPU has PT' hard_steps
tick=$(nm build/guests/steps.elf | awk '$3 == "on_tick" { print $1 }')
no_ticks() { awk -v tick="$tick" '$3 == tick { getline; next } { print }'; }
kinds hard_steps | no_ticks >"$work/hard_steps/kinds"
check "and have the same events and far transfers ($(wc -l <"$work/hard_steps/kinds"))" \
    diff <(kinds steps | no_ticks) "$work/hard_steps/kinds"
at_most 'which are some' 1000 "$(wc -l <"$work/hard_steps/kinds")"

for cpus in ${SMP:-2}; do
    CPUS=$cpus run smp$cpus smp "cpus=$cpus rounds=10000" ''
    equal "smp$cpus: every branch of CPU 0" smp$cpus
    for cpu in $(seq $((cpus - 1))); do equal "smp$cpus: every branch of CPU $cpu" smp$cpus "$cpu"; done
done

# With a window, too: where two CPUs open its pages, and where the first has come to its end before the second starts.
CPUS=2 run window2 smp 'cpus=2 rounds=2000 small' pt.user=off
equal 'window2: every branch of CPU 0' window2
equal 'window2: every branch of CPU 1' window2 1
# One changes its code all the time, and calls the others each time; they must get on, and be stopped and started.
MOST=3 CPUS=3 run window3 smp 'cpus=3 rounds=2000 small stops=20' pt.user=off
for cpu in 0 1 2; do equal "window3: every branch of CPU $cpu" window3 "${cpu#0}"; done
CPUS=2 run ends2 smp 'cpus=2 rounds=2000 small' 'pt.user=off pt.branches=1500'
for cpu in 0 1; do
    decoded ends2 $cpu
    same "ends2: the first 1500 branches of CPU $cpu" "$(branches_of ends2 $cpu | sha256sum)" \
        "$(listed ends2 "${cpu#0}" | head -n 1500 | sha256sum)"
done
at_most 'ends2: and full speed after them: steps' "$(truth ends2 exit_37)" 40000

# Only a part may be traced: fibonacci() and the branches in it.
range() {
    nm build/guests/branches.elf | awk -v name="$1" '$3 == name { at = $1 } at && $1 > at { exit } END { print "0x" at }' |
        sed 's/0x0*/0x/'
}
fibonacci=$(range fibonacci)
BRANCHES=$fibonacci-$((fibonacci + 0x4f)) check 'branches runs with a range' boot range build/guests/branches.bzImage '' '' \
    "channel=e1000 pt.range0=filter:$fibonacci-$(printf 0x%x $((fibonacci + 0x4f)))"
decoded range
same 'the branches of the range, all of them' "$(branches_of range | cut -d ' ' -f 1 | sha256sum)" \
    "$(listed range | cut -d ' ' -f 1 | sha256sum)"
# One address space of those that the guest has: each PIP has its CR3, and the others run at full speed.
cr3=$(nm build/guests/spaces.elf | awk '$3 == "space_a" { print $1 }')
check 'spaces runs with a CR3' boot cr3 build/guests/spaces.bzImage '' '' "channel=e1000 pt.cr3=$(printf 0x%x "0x$cr3")"
same 'the trace has only that one' "$(build/undertrace dump "$work/cr3/capture" | awk '$2 == "pip" { print $NF }' | sort -u)" "$cr3"
check 'and is decoded' decoded cr3
at_most 'the others run at full speed: steps' "$(truth cr3 exit_37)" $(($(truth spaces exit_37) / 4))
BRANCHES=1 check 'branches runs with a number of branches' boot number build/guests/branches.bzImage '' '' 'channel=e1000 pt.branches=1000'
decoded number
same 'the first 1000 branches' "$(branches_of number | sha256sum)" "$(listed number | head -n 1000 | sha256sum)"
at_most 'and full speed after them: steps' "$(truth number exit_37)" 100000

# Only the kernel or only user mode: in this guest each executes code at addresses of its own.
# inside user|kernel: of a list, what both begins and ends there. The methods trace what leaves it differently.
address() { nm build/guests/levels.elf | awk -v name="$1" '$3 == name { print $1 }'; }
inside() {
    awk -v wanted="$1" -v early="$(address user_early)" -v both="$(address both_kernel)" -v user="$(address both_user)" \
        -v end="$(address pages_end)" '
        function of(at) { return (at >= early && at < both) || (at >= user && at < end) ? "user" : "kernel" }
        of($1) == wanted && $2 != "0000000000000000" && of($2) == wanted'
}
# only user|kernel OPTION WORDS OTHER
only() {
    run "$1" levels "$3" "$2"
    check "only $1: is decoded" decoded "$1"
    branches_of "$1" | inside "$1" >"$work/$1/branches"
    check "only $1: every branch of it is what was decoded ($(wc -l <"$work/$1/branches"))" cmp "$work/$1/branches" <(listed "$1" | inside "$1")
    same "only $1: nothing else is" "$(branches_of "$1" | inside "$4" | wc -l)" 0
    at_most "only $1: the other runs at full speed: steps" "$(truth "$1" exit_37)" $(($(truth "$1" guest_instructions) / 10))
}
only user pt.os=off 'kernel=100000 user=500' kernel
only kernel pt.user=off 'kernel=500 user=100000' user
same 'they are some' "$([ "$(wc -l <"$work/user/branches")" -gt 500 ] && [ "$(wc -l <"$work/kernel/branches")" -gt 2000 ] && echo yes)" yes

# A whole system at full speed, but for the range.
from=0xffffffff81200000 upto=0xffffffff8120ffff
MEMORY=1024 BRANCHES=$from-$upto check 'Debian boots to power-off with a range of the kernel' \
    boot debian build/guest/unpacked build/guest/initrd "$CMDLINE $short_boot mitigations=off nokaslr" "channel=e1000 net.mtu=9000 pt.range0=filter:$from-$upto"
console_has 'its workload is done' debian 'init: done'
decoded debian
# Not the events: an interrupt that comes where the range is entered, before anything of it is executed, is not seen.
no_events() { awk '$2 < "ffffffff81c00000" { print $1 }'; } # the kernel's entry text follows
same 'the branches of the range, all of them' "$(branches_of debian | no_events | sha256sum)" \
    "$(listed debian | no_events | sha256sum)"
same 'and there are some' "$([ "$(wc -l <"$work/debian/decoded0")" -gt 10000 ] && echo yes)" yes
at_most 'the rest runs at full speed: root instructions in thousandths of the guest'"'"'s' \
    $(($(truth debian root_instructions) * 1000 / $(truth debian guest_instructions))) 100

# What the guest sees of it: nothing.
seen() { tr -d '\r' <"$work/$1/console.txt" | sed -n '/^probe:/p'; }
check 'the probe runs untraced' boot_guest untraced probe 'pt=off channel=e1000'
check 'its report has nothing missing' build/undertrace report "$work/untraced/capture" --truth "$work/untraced/truth.bin"
check 'the probe runs stepped' boot_guest stepped probe 'pt=soft channel=e1000'
console_has 'it comes to its end there' stepped 'probe: done'
check 'and sees the same' diff <(seen untraced) <(seen stepped)
check 'refused: pt.branches= with pt=cpu' \
    sh -c "PTMODEL=profile=skylake UNTIL='use pt=soft or off' ISO=\$(ELF=build/undertrace.elf KERNEL=build/guests/branches.bzImage INITRD= CMDLINE= OPTIONS='pt=cpu pt.branches=5' tests/rig/iso.sh $work/refused.iso; echo $work/refused.iso) tests/rig/boot.sh $work/refused"
done_testing
