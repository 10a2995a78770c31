#!/bin/bash
# What two CPUs do for an ordinary system, in one boot: a user space, a storm of processes, a CPU that goes offline and comes
# back, kernel code that comes and goes (modules, BPF, the tracer's and static keys' patches). Every branch of each CPU is what was
# decoded.
. tests/system/lib.sh

initrd=$work/initrd
cat build/guest/userland build/guest/modules >"$initrd"
# idle=halt: an idle CPU would poll before it halts, and that were most of the branches while modules come and go.
CPUS=2 MEMORY=512 check 'all stories run to power-off on two CPUs, traced over e1000' \
    boot stories build/guest/moved "$initrd" "$CMDLINE $short_boot idle=halt userland=programs,storm,hotplug,modules" \
    'channel=e1000 net.mtu=9000'
tr -d '\r' <"$work/stories/console.txt" | grep -a '^userland: ' >"$work/lines"

# said NAME TIMES LINE...: so many lines of the console are like this one, a regular expression.
said() {
    same "$1" "$(grep -cxE "userland: $3" "$work/lines")" "$2"
}
said 'programs: the last of them is done' 1 '40 forks'
said 'storm: programs, eight at a time' 1 'storm, 20 rounds of programs'
said 'storm: what a hundred forks of bash add up to' 1 'storm, forks add up to 1550'
said 'storm: and of perl' 1 'storm, perl, 100 forks add up to 6540'
said 'storm: threads that fork and spawn' 1 '2 threads, 80 forked, 20 spawned, 0 wrong'
said 'hotplug: the second CPU goes, comes back and works, four times' 4 \
    'hotplug [1-4], off: 1 CPU, pinned: refused, on: 2 CPUs, pinned: 1'
said 'modules: filters are compiled, run and freed' 1 'filters, 12 of 312 letters passed, 0 wrong'
said 'modules: loaded, used and unloaded, twice' 2 'modules [12], through the loop, at 0x[0-9a-f]+ 0x[0-9a-f]+'
same 'modules: one of them lay at two addresses' "$(sed -n 's/.*through the loop.* //p' "$work/lines" | sort -u | wc -l)" 2
said 'modules: static keys are switched' 2 'modules, static keys [12]'
said 'modules: programs of the BPF compiler'"'"'s own test' 1 'modules, [1-9][0-9]+ programs of test_bpf compiled, 0 failed'
said 'modules: functions and a probe are traced, twice' 2 'modules, tracer [12], 1 1'
said 'power-off comes last' 1 'done, powering off'

same 'no gap' "$(jq '[.ends[].gaps] | add' "$work/stories/capture/meta.json")" 0
same 'no overflow' "$(truth stories overflows)" 0
clean_log stories
exact 'every branch is what was decoded' stories
for cpu in 0 1; do
    same "CPU $cpu: each byte that it wrote was received" "$(stat -c %s "$work/stories/capture/cpu$cpu.pt")" \
        "$(truth stories trace_bytes $cpu)"
    same "CPU $cpu: all branches match, in intervals that are all equal" \
        "$(jq -c ".cpus[$cpu] | [.matched, .branches - .matched, .intervals - .equal_intervals, .decode_errors]" \
            "$work/stories/verify.json")" "[$(truth stories branches $cpu),0,0,0]"
done
# A task that moves from one CPU to the other continues with its callers. The list of a single CPU has no callers for it.
capture=$work/stories/capture
from=$(build/undertrace find "$capture" --kernel build/guest/vmlinuz --process storm do_exit --json 2>/dev/null | jq .first.seconds)
# listed FIRST LAST WORDS...: what is listed between so many seconds after the first end of a process of the storm.
listed() {
    local time
    time=$(jq -n "$from + $1")-$(jq -n "$from + $2")
    shift 2
    build/undertrace trace "$capture" --kernel build/guest/vmlinuz --time "$time" "$@" 2>/dev/null
}
# Time, CPU and function of each call, by any caller.
calls() {
    grep -v '(under way)' | sed -E 's/^ *([0-9.]+) ([0-9]+) .* ([^ ]+ \[[^]]*\]|[^ ]+)( [^ ]*)?$/\1 \2 \3/' | sort
}
listed 30 30.2 >"$work/together"
same 'trace: what both CPUs did is in the order of time' \
    "$(awk '{ back += $1 < last; last = $1 } END { print (NR > 10000), back + 0 }' "$work/together")" '1 0'
{ listed 30 30.2 --cpu 0; listed 30 30.2 --cpu 1; } | calls >"$work/separate"
at_most 'trace: calls that are only in the list of both CPUs, or only in those of each' \
    "$(calls <"$work/together" | diff - "$work/separate" | grep -c '^[<>]')" $(($(wc -l <"$work/separate") / 1000))
# Stacks whose lower frames are unknown.
{ listed 28 32 --depth 0 --cpu 0; listed 28 32 --depth 0 --cpu 1; } | grep '(under way)' | sort >"$work/separate"
listed 28 32 --depth 0 | grep '(under way)' | sort >"$work/together"
same 'trace: tasks are followed from CPU to CPU: some restart only in the lists of single CPUs' \
    "$([ "$(comm -13 "$work/together" "$work/separate" | wc -l)" -gt 3 ] && echo yes)" yes

# --function leaves out most of the trace, and must find the same as who looks through all of it: what processes do between the
# function's call and its return, on whichever CPU. Lines are distinguished by process name, so those without a name are
# left out.
lines='{ name = substr($0, 29, 22); sub(/ +$/, "", name); text = substr($0, 52); match(text, /^ */); depth = RLENGTH / 2; text = substr(text, RLENGTH + 1) }
    name == "-" { next }'
listed 30 31 --returns >"$work/together"
for function in do_wait schedule; do
    awk -v wanted=$function "$lines"' name in entered && depth <= entered[name] { delete entered[name] } # executed another program, or returned
        text ~ /^} / { next }
        { split(text, word, " ") }
        !(name in entered) && word[1] == wanted { entered[name] = depth }
        name in entered { print substr($0, 1, 17), name, depth - entered[name], text }' "$work/together" >"$work/separate"
    listed 30 31 --function $function | awk "$lines"' { print substr($0, 1, 17), name, depth, text }' >"$work/found"
    same "trace: --function $function is followed from CPU to CPU: lines that it has, and has not" \
        "$([ -s "$work/separate" ] && diff "$work/found" "$work/separate" | grep -c '^[<>]')" 0
done
rm "$work/together" "$work/separate" "$work/found"
done_testing
