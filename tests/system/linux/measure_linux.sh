#!/bin/bash
# irqs, syscalls, sched and stack of Linux on one CPU, compared with the report's totals, with what the guest counts
# itself, and with the list of branches.
. tests/system/lib.sh

tool=build/undertrace
cat >"$work/init" <<'INIT'
#!/bin/busybox sh
bb=/bin/busybox
$bb mount -t proc proc /proc
$bb mount -t devtmpfs dev /dev
n=0
while [ "$n" -lt 20 ]; do
    n=$((n + 1))
    part=$( (echo $((n * n))) )
done
$bb sleep 2 &
$bb dd if=/dev/zero of=/dev/null bs=4096 count=200 2>/dev/null
wait
$bb grep -E ' timer|LOC' /proc/interrupts
echo "init: done"
$bb sleep 1 # what is still in the console's buffer would be lost
$bb poweroff -f
INIT
INIT=$work/init tests/rig/initrd.sh "$work/initrd"
check 'Linux boots to power-off, traced over e1000, as for make sample' env INITRD="$work/initrd" tests/rig/sample.sh "$work/linux"
console_has 'its workload is done' linux 'init: done'
capture=$work/linux/capture
names=(--kernel build/guest/vmlinuz)
$tool report "$capture" "${names[@]}" --json "$work/report.json" >/dev/null
for command in syscalls irqs sched; do
    $tool $command "$capture" "${names[@]}" --json >"$work/$command.json" 2>/dev/null
    same "$command: all is known" $? 0
done

# --- system calls -----------------------------------------------------------------------------------------------------
same 'syscalls: numbers and times of all calls are those of the report' \
    "$(jq -c '[.calls[] | select(.symbol | startswith("__x64_sys_")) | [.symbol, .number, .on_cpu_ticks]] | sort' "$work/syscalls.json")" \
    "$(jq -c '.tsc_khz as $khz | [.profile.functions[] | select(.symbol // "" | startswith("__x64_sys_")) | [.symbol, .calls, (.total_seconds * $khz * 1000 | round)]] | sort' "$work/report.json")"
# Elapsed times are cut to whole nanoseconds in each row.
same 'syscalls: each belongs to one process' \
    "$(jq -c '[.calls, .processes, .by_process] | [([.[] | [([.[].number] | add), ([.[].on_cpu_ticks] | add)]] | unique | length),
        ((map([.[].elapsed] | add) | max - min) < (map(length) | max))]' "$work/syscalls.json")" '[1,true]'
same 'syscalls: dd reads and writes 200 blocks' \
    "$(jq -c '[.by_process[] | select(.symbol == "__x64_sys_read" and (.process | startswith("busybox"))) | .number] | max >= 200' "$work/syscalls.json")" true
same 'syscalls: the wait for the sleep of two seconds is the longest of all, and lasts a little longer' \
    "$(jq -r '[.calls[] | select(.elapsed > 0)] | sort_by(-.longest) | .[:2] | "\(map(.symbol) | sort | join(" ")) \(.[0].longest < 1.01 * .[1].longest)"' "$work/syscalls.json")" \
    '__x64_sys_clock_nanosleep __x64_sys_rt_sigsuspend true'

# --- interrupts: /proc/interrupts counts those before it was read, by the name of the handler's device -------------------------
same 'irqs: numbers and times are those of the report' \
    "$(jq -c '[.interrupts | group_by(.symbol)[] | [.[0].symbol, (map(.number) | add), (map(.on_cpu_ticks) | add)]] | sort' "$work/irqs.json")" \
    "$(jq -c '.tsc_khz as $khz | [.profile.interrupts[] | [.symbol, .number, (.total_seconds * $khz * 1000 | round)]] | sort' "$work/report.json")"
tr -d '\r' <"$work/linux/console.txt" >"$work/console"
# counted NAME: how often the guest counted this interrupt.
counted() {
    awk -v name="$1" '$0 ~ name { print $2; exit }' "$work/console"
}
for row in 'timer_interrupt:IO-APIC.* timer' 'sysvec_apic_timer_interrupt:Local timer'; do # which continue for the last second, 250 times at most
    same "irqs: ${row%%:*} ran as often as the guest counts, and some times after that" \
        "$(jq -r --argjson n "$(counted "${row#*:}")" "[.interrupts[] | select(.handler == \"${row%%:*}\") | .number] | add | . >= \$n and . <= \$n + 255" "$work/irqs.json")" true
done
same 'irqs: devices have different vectors, and Linux gives them none below 32' \
    "$(jq -c '[.interrupts[] | select(.symbol == "irq_entries_start") | .vector | tonumber] | [length == (unique | length), min >= 32]' "$work/irqs.json")" '[true,true]'
same 'irqs: interrupts are not off for longer than the handler runs' \
    "$(jq -c '[.interrupts_off[] as $off | .interrupts[] | select(.symbol == $off.symbol and .vector == $off.vector) | .elapsed >= $off.elapsed and .number >= $off.number] | all' "$work/irqs.json")" true

# --- tasks ------------------------------------------------------------------------------------------------------------
# Each function's seconds are rounded to a nanosecond.
same 'sched: all runs together are the time of all functions' \
    "$(jq --argjson all "$(jq '[.runs[].on_cpu_ticks] | add' "$work/sched.json")" '.tsc_khz as $khz | .profile.functions as $of |
        (([$of[].seconds * $khz * 1000] | add) - $all | fabs) <= ($of | length) * $khz * 0.5e-6 + 1' "$work/report.json")" true
# Each run but the first of all begins with a switch.
switches=$(jq '[.profile.functions[] | select(.symbol == "__switch_to_asm") | .calls] | add' "$work/report.json")
same 'sched: there is one run more than switches' "$(jq '[.runs[].number] | add' "$work/sched.json")" $((switches + 1))
same 'sched: of each task there is at most one wait less than runs' \
    "$(jq -c '[.runs[] as $run | $run.number > ([.runnable[], .blocked[] | select(.number == $run.number and .task == $run.task) | .number] | add // 0)] | all' \
        <(jq 'walk(if type == "object" and has("histogram") then del(.histogram, .slowest) else . end)' "$work/sched.json") 2>/dev/null)" true

# --- a moment in a system call ------------------------------------------------------------------------------------------
slowest='.calls[] | select(.symbol == "__x64_sys_clock_nanosleep") | .slowest[0]'
at=$(jq "$slowest | (.at + .elapsed / 2) / 1e9" "$work/syscalls.json")
$tool stack "$capture" "${names[@]}" --time "$at" --tasks --json 2>/dev/null >"$work/stack.json"
same 'stack: at that moment one task is in it, and does not run' \
    "$(jq '[.tasks[] | select([.frames[].symbol] | index("__x64_sys_clock_nanosleep"))] | length' "$work/stack.json")" 1
same 'stack: it began when syscalls says' \
    "$(jq '[.tasks[].frames[] | select(.symbol == "__x64_sys_clock_nanosleep") | .at] | first' "$work/stack.json")" "$(jq "$slowest.at" "$work/syscalls.json")"

# --- checkpoints: the same answer with them as without, which writes them; the same file from all commands ---------------------
cp "$capture/index.stacks" "$work/whole.stacks"
# again WORDS...: the output of a command without checkpoints, and then with them.
again() {
    rm -f "$capture/index.stacks"
    $tool "$@" >"$work/without" 2>&1
    cp "$capture/index.stacks" "$work/part.stacks" || return
    $tool "$@" >"$work/with" 2>&1
    cmp "$work/without" "$work/with"
}
window=$at-$(jq -n "$at + 0.001")
check 'last: the same from the last checkpoint on' again last "$capture" "${names[@]}"
check 'the file is the one that the report wrote' cmp "$work/part.stacks" "$work/whole.stacks"
check 'export --time: the same from a checkpoint on' \
    again export "$capture" "${names[@]}" --time "$window" --format chrome -o /dev/stdout
before=$(jq "$slowest | .at / 1e9 - 0.05" "$work/syscalls.json") # up to the end of that sleep
for command in irqs syscalls sched 'latency *alloc* *timer*'; do
    # shellcheck disable=SC2086 # words
    set -f; set -- $command; set +f
    check "$1 --time: the same" again "$1" "$capture" "${@:2}" "${names[@]}" --time "$before-$at" --json
    check "$1 --time: there is something in it" test "$(grep -c '"number"' "$work/with")" -gt 0
done
check 'stack: the same' again stack "$capture" "${names[@]}" --time "$at" --tasks --json
same 'with that of the whole trace before' "$(jq -cS . "$work/with")" "$(jq -cS . "$work/stack.json")"
# Not at $at: nearly all of the trace comes before it, and so may all checkpoints.
check 'stack: the same early in the boot' again stack "$capture" "${names[@]}" --time "$(jq -n "$at / 20")" --tasks --json
check 'a window keeps what comes before its end' test "$(stat -c %s "$work/part.stacks")" -lt "$(stat -c %s "$work/whole.stacks")"
$tool last "$capture" "${names[@]}" >/dev/null 2>&1
check 'the next pass continues from there' cmp "$capture/index.stacks" "$work/whole.stacks"
# What comes before the checkpoint is not decoded. (Most of it: calls that are still open began there.)
dd if=/dev/zero of="$capture/cpu0.pt" bs=1M seek=2 count=4 conv=notrunc status=none
$tool stack "$capture" "${names[@]}" --time "$at" --tasks --json 2>/dev/null >"$work/damaged.json"
check 'a damaged trace before the checkpoint changes nothing' cmp "$work/damaged.json" "$work/stack.json"
printf '\x55' | dd of="$capture/index.stacks" bs=1 seek=5000 conv=notrunc status=none
$tool stack "$capture" "${names[@]}" --time "$at" --tasks --json 2>/dev/null >"$work/damaged.json"
check 'but it does if the checkpoints are damaged, too: then they are not read' test "$(cmp "$work/damaged.json" "$work/stack.json" 2>&1)" != ''
done_testing
