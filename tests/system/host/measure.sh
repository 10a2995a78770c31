#!/bin/bash
# stack, latency, callgraph, irqs and syscalls of micro-guests, compared with the list of all branches, with the report's
# totals, and with the slices of an export, which has its own list of calls.
. tests/system/lib.sh

tool=build/undertrace
check 'the guest boots' boot_guest one branches 'channel=e1000 net.mtu=9000'
CPUS=2 check 'a guest on two CPUs' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
capture=$work/one/capture
names=(--files build/guests/branches.elf)
$tool decode "$capture" --branches "$work/branches" >/dev/null 2>&1
nm build/guests/branches.elf | sort >"$work/symbols"
$tool report "$capture" "${names[@]}" --json "$work/report.json" >/dev/null
$tool export "$capture" "${names[@]}" --format chrome -o "$work/chrome.json" 2>/dev/null
jq -r '.traceEvents[] | select(.ph == "X" and .pid == 2) | [.name, (.ts * 1000 | round), ((.ts + .dur) * 1000 | round)] | @tsv' \
    "$work/chrome.json" | sort -s -n -k 2,2 >"$work/slices" # function, begin and end in nanoseconds, callers first

# ranges: the begin and end of each function, in hexadecimal of 16 digits.
awk '{ if (begin) print begin, $1, name; begin = $1; name = $3 }' "$work/symbols" >"$work/ranges"
# entered FUNCTION [CALLER]: how many branches lead to its first instruction (from there).
entered() {
    awk -v function_=$1 -v caller="${2:-}" 'NR == FNR { if ($3 == function_) at = $1; if ($3 == caller) { from = $1; to = $2 } next }
        $2 == at && (!caller || ($1 "" >= from "" && $1 "" < to "")) { n++ } END { print n + 0 }' "$work/ranges" "$work/branches"
}
# reported FUNCTION WHAT
reported() {
    jq -r ".tsc_khz as \$khz | .profile.functions[] | select(.symbol == \"$1\") | $2" "$work/report.json"
}

# --- latency ----------------------------------------------------------------------------------------------------------
$tool latency "$capture" "${names[@]}" --json fibonacci console_line on_timer syscall_count syscall_entry >"$work/latency.json"
same 'latency: it is JSON of five functions' "$(jq '.functions | length' "$work/latency.json")" 5
# latency FUNCTION WHAT
latency() {
    jq -r ".functions[] | select(.symbol == \"$1\") | $2" "$work/latency.json"
}
for function in fibonacci console_line on_timer syscall_count syscall_entry; do
    same "latency: $function is called as often as branches lead to it" "$(latency $function .number)" "$(entered $function)"
    same "latency: $function has the time on a CPU of the report" "$(latency $function .on_cpu_ticks)" \
        "$(reported $function '.total_seconds * $khz * 1000 | round')"
    same "latency: the histogram and the calls that did not return add up for $function" \
        "$(latency $function '([.histogram[].number] | add) + .not_finished')" "$(latency $function .number)"
done
# near NAME IS SHOULD: lists of nanoseconds. A slice's length is the difference of two times that are each cut to whole
# nanoseconds, the command's is cut once: unless a tick is whole nanoseconds they may differ by one.
near() {
    same "$1" "$(awk -v is="$2" -v should="$3" 'BEGIN { n = split(is, a, " "); m = split(should, b, " ")
        for (i = 1; i <= m; i++) { d = a[i] - b[i]; bad = bad || d * d > 1 }
        print (n == m && !bad) ? should : is }')" "$3"
}
# Percentiles by nearest rank of the export's slices; ours may be 0.8 % higher. The export has no slices of length 0.
for function in fibonacci console_line on_timer; do
    awk -v name=$function -v calls="$(entered $function)" '$1 == name { print $3 - $2; n++ } END { for (; n < calls; n++) print 0 }' \
        "$work/slices" | sort -n >"$work/lengths"
    for percent in 50 90 99; do
        wanted=$(awk -v p=$percent '{ v[NR] = $1 } END { r = int((NR * p + 99) / 100); print v[r] }' "$work/lengths")
        is=$(latency $function .p$percent)
        same "latency: p$percent of $function is that of the export's slices ($wanted)" \
            "$(awk -v is="$is" -v wanted="$wanted" 'BEGIN { print (is >= wanted - 1 && is <= wanted * 1.008 + 1) }')" 1
    done
    near "latency: so is the longest of $function, and its time" \
        "$(latency $function '"\(.longest) \(.slowest[0].at)"')" \
        "$(awk -v name=$function '$1 == name && $3 - $2 > most { most = $3 - $2; at = $2 } END { print most, at }' "$work/slices")"
    near "latency: the slowest ten of $function" "$(latency $function '[.slowest[].elapsed] | map(tostring) | join(" ")')" \
        "$(sort -n -r "$work/lengths" | head -n 10 | paste -sd ' ')"
done
same 'latency: a function that the machine powered off in has not returned' "$(latency syscall_entry .not_finished)" 1
$tool latency "$capture" "${names[@]}" fibonacci >"$work/text"
same 'latency: at most 100 columns, with the precision of times' "$(awk 'length > 100' "$work/text" | wc -l) $(grep -c '^Times: half' "$work/text")" '0 1'
$tool latency "$capture" "${names[@]}" fibonaci >"$work/none" 2>&1
same 'latency: an unknown name is an error' "$? $(grep -c 'fibonaci: .*; did you mean fibonacci?$' "$work/none")" '1 1'
$tool latency "$capture" "${names[@]}" machine_reset_cf9 >/dev/null 2>"$work/none"
same 'latency: a function that was never called, status 2' "$? $(grep -c 'machine_reset_cf9: never called' "$work/none")" '2 1'
# Half of the time has the calls that begin then.
middle=$(awk '$1 == "fibonacci" { v[++n] = $2 } END { print v[int(n / 2)] }' "$work/slices")
same 'latency: --time has the calls that begin in it' \
    "$($tool latency "$capture" "${names[@]}" --json --time "$(awk -v t="$middle" 'BEGIN { printf "%.9f", t / 1e9 }')-" fibonacci | jq '.functions[0].number')" \
    "$(awk -v t="$middle" '$1 == "fibonacci" && $2 >= t { n++ } END { print n }' "$work/slices")"

# --- trace --returns: the lengths are the differences of the list's own times ------------------------------------------
$tool trace "$capture" "${names[@]}" --returns | awk '
    BEGIN { scale["ns"] = 1e-9; scale["us"] = 1e-6; scale["ms"] = 1e-3; scale["s"] = 1 }
    $4 != "}" { begin[++depth] = $1; under_way[depth] = /under way/; next }
    {
        length_ = $1 - begin[depth]
        is = match($0, / after /) ? $(NF - 1) * scale[$NF] : 0
        if (under_way[depth--]) length_ = 0
        lines++
        some += is > 0
        wrong += is - length_ > length_ * 0.006 + 6e-10 || length_ - is > length_ * 0.006 + 6e-10
    }
    END { print (lines > 1000), (some > 10), wrong + 0 }' >"$work/returns"
same 'trace: --returns has the length of each call' "$(cat "$work/returns")" '1 1 0'

# --- report --time -----------------------------------------------------------------------------------------------------
for part in "-0.02" "0.02-"; do
    $tool report "$capture" "${names[@]}" --time "$part" --json - >"$work/part$part.json"
done
same 'report: two parts have the branches and the time of the whole' \
    "$(jq -s -c '[[.[].profile.functions[]] | group_by(.symbol)[] | [.[0].symbol, (map(.branches) | add), (map(.seconds) | add * 1e8 | round)]]' \
        "$work/part-0.02.json" "$work/part0.02-.json")" \
    "$(jq -c '[.profile.functions | group_by(.symbol)[] | [.[0].symbol, (map(.branches) | add), (map(.seconds) | add * 1e8 | round)]]' "$work/report.json")"
same 'report: a part begins and ends with it, and has no phases' \
    "$(jq -c '[.time.to, (.profile.phases | length)]' "$work/part-0.02.json") $(jq .time.from "$work/part0.02-.json")" '[20000000,0] 20000000'
$tool report "$capture" --remembered ignore --time 0.01-0.02 >"$work/none" 2>&1
same 'report: --time without names is an error' "$? $(grep -c -- '--time requires names' "$work/none")" '1 1'

# --- stack: what the slices have at that time ------------------------------------------------------------------------
differing=
for function in fibonacci deep console_line on_timer syscall_count; do
    # In the midst of its longest call: a short one has no TSC value between its first and its last.
    at=$(awk -v name=$function '$1 == name && $3 - $2 > e - b { b = $2; e = $3 } END { print int((b + e) / 2) }' "$work/slices")
    is=$($tool stack "$capture" "${names[@]}" --time "$(awk -v t="$at" 'BEGIN { printf "%.9f", t / 1e9 }')" --json |
        jq -r '.cpus[0].frames | reverse[] | "\(.symbol) \(.at)"')
    wanted=$(awk -v t="$at" '$2 <= t && $3 > t { print $1, $2 }' "$work/slices")
    [ "$is" = "$wanted" ] || differing="$differing $function at $at:
$(diff <(echo "$is") <(echo "$wanted") | head -n 6)"
done
same 'stack: functions and times at five moments are those of the slices' "$differing" ''
# deep(200) calls itself 200 times.
at=$(awk '$1 == "deep" { if (++n == 201) print $2 }' "$work/slices")
same 'stack: the deepest recursion has all its frames' \
    "$($tool stack "$capture" "${names[@]}" --time "$(awk -v t="$at" 'BEGIN { printf "%.9f", t / 1e9 }')" | grep -c ' deep ')" 201
$tool stack "$capture" --time 99999 >"$work/none" 2>&1
same 'stack: a time after the trace is an error' "$? $(grep -c 'the trace ends at [0-9.]*$' "$work/none")" '1 1'
$tool stack "$capture" --time soon >"$work/none" 2>&1
same 'stack: a word is no time' "$? $(grep -c "'soon' is not a time" "$work/none")" '1 1'
$tool stack "$capture" >"$work/none" 2>&1
same 'stack: the time is required' "$? $(grep -c 'time T is required' "$work/none")" '1 1'

# --- callgraph --------------------------------------------------------------------------------------------------------
$tool callgraph "$capture" "${names[@]}" --json fibonacci guest_main >"$work/callgraph.json"
# callgraph FUNCTION WHAT
callgraph() {
    jq -r ".functions[] | select(.symbol == \"$1\") | $2" "$work/callgraph.json"
}
for caller in guest_main fibonacci; do
    same "callgraph: $caller calls fibonacci as often as branches lead there" \
        "$(callgraph fibonacci ".callers[] | select(.symbol == \"$caller\") | .calls")" "$(entered fibonacci $caller)"
done
for function in fibonacci guest_main; do
    same "callgraph: the callers of $function add up to the report's figures" \
        "$(callgraph $function '"\([.callers[].calls] | add) \([.callers[].branches] | add) \([.callers[].on_cpu_ticks] | add)"')" \
        "$(reported $function '"\(.calls) \(.total_branches) \(.total_seconds * $khz * 1000 | round)"')"
    same "callgraph: what $function spent itself and its callees add up to the same" \
        "$(callgraph $function '"\(.branches + ([.callees[].branches] | add // 0)) \(.own_ticks + ([.callees[].on_cpu_ticks] | add // 0))"')" \
        "$(reported $function '"\(.total_branches) \(.total_seconds * $khz * 1000 | round)"')"
done

# --- irqs and syscalls ------------------------------------------------------------------------------------------------
$tool irqs "$capture" "${names[@]}" --json >"$work/irqs.json"
same 'irqs: numbers and times are those of the report' \
    "$(jq -c '[.interrupts[] | [.symbol, .number, .on_cpu_ticks]] | sort' "$work/irqs.json")" \
    "$(jq -c '.tsc_khz as $khz | [.profile.interrupts[] | [.symbol, .number, (.total_seconds * $khz * 1000 | round)]] | sort' "$work/report.json")"
same 'irqs: nothing is said about interrupts off in handlers that may have set IF' "$(jq -c .interrupts_off "$work/irqs.json")" '[]'
$tool syscalls "$capture" "${names[@]}" --json >"$work/syscalls.json"
same 'syscalls: each SYSCALL is one' "$(jq '[.calls[].number] | add' "$work/syscalls.json")" \
    "$(kinds one | awk '$1 == "syscall"' | wc -l)"
same 'syscalls: all tables have the same sums' \
    "$(jq -c '[.calls, .processes, .by_process | [([.[].number] | add), ([.[].on_cpu_ticks] | add)]] | unique | length' "$work/syscalls.json")" 1

# --- two CPUs ---------------------------------------------------------------------------------------------------------
smp=(--files build/guests/smp.elf)
$tool report "$work/smp/capture" "${smp[@]}" --json "$work/report.json" >/dev/null
jq -r '.profile.functions | map(select(.symbol)) | sort_by(-.calls) | .[:5][] | .symbol' "$work/report.json" | sort -u >"$work/often"
# shellcheck disable=SC2046
$tool latency "$work/smp/capture" "${smp[@]}" --json $(cat "$work/often") >"$work/latency.json"
for function in $(cat "$work/often"); do
    same "two CPUs: calls and time of $function are those of the report" \
        "$(jq -r "[.functions[] | select(.symbol == \"$function\")] | \"\(map(.number) | add) \(map(.on_cpu_ticks) | add)\"" "$work/latency.json")" \
        "$(jq -r ".tsc_khz as \$khz | [.profile.functions[] | select(.symbol == \"$function\")] | \"\(map(.calls) | add) \(map(.total_seconds) | add * \$khz * 1000 | round)\"" "$work/report.json")"
done
last=$($tool trace "$work/smp/capture" --what branches --cpu 1 | awk 'END { print $1 }')
same 'two CPUs: stack has both' "$($tool stack "$work/smp/capture" "${smp[@]}" --time "$(awk -v t="$last" 'BEGIN { print t / 2 }')" --json | jq -c '[.cpus[].cpu]')" '[0,1]'
same 'two CPUs: or one' "$($tool stack "$work/smp/capture" "${smp[@]}" --cpu 1 --time "$(awk -v t="$last" 'BEGIN { print t / 2 }')" --json | jq -c '[.cpus[].cpu]')" '[1]'
# --- names from debug files -------------------------------------------------------------------------------------------
# In the capture without names, the stripped program has those of a debug file that is given, and later by itself.
mkdir -p "$work/stripped" "$work/debug"
cp -r "$capture" "$work/bare"
rm -f "$work/bare/names"
objcopy --only-keep-debug build/guests/branches.elf "$work/debug/some.name"
objcopy --strip-all --add-gnu-debuglink="$work/debug/some.name" build/guests/branches.elf "$work/stripped/branches.elf"
# calls OPTIONS...: of fibonacci, by its name.
calls() { $tool latency "$work/bare" "$@" --json fibonacci 2>/dev/null | jq '.functions[0].number'; }
same 'a stripped program has no names' "$(calls --files "$work/stripped")" ''
same 'with --debug FILE it has' "$(calls --debug "$work/debug/some.name")" "$(entered fibonacci)"
same 'which is remembered' "$(calls) $(awk '$1 == "debug" { print $NF }' "$work/bare/names")" "$(entered fibonacci) $(realpath "$work/debug/some.name")"
same '--debug without a file: one line' "$($tool latency "$work/bare" --debug /nowhere fibonacci 2>&1)" \
    'undertrace: /nowhere: No such file or directory'
same '--debug with another file: one line' "$($tool latency "$work/bare" --debug tests/system/lib.sh fibonacci 2>&1)" \
    'undertrace: tests/system/lib.sh: neither an ELF file nor a directory'
done_testing
