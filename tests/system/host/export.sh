#!/bin/bash
# Exports, each opened by the tool that it is for, and compared with the list of all branches and the guest's own symbols.
. tests/system/lib.sh

check 'a guest of functions boots' boot_guest load load 'channel=e1000 net.mtu=9000'
CPUS=2 check 'one with two CPUs boots' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
elf=build/guests/load.elf

# export NAME FORMAT OPTIONS...: the capture of a boot in a format, into $work/NAME.FORMAT.
export_as() {
    local name=$1 format=$2
    shift 2
    build/undertrace export "$work/$name/capture" --files "build/guests/$name.elf" --format="$format" \
        -o "$work/$name.$format" "$@" 2>"$work/$name.$format.log"
}

for format in folded callgrind lcov chrome perfetto speedscope drcov bolt; do
    mkdir -p "$work/sources"
    check "$format is written" export_as load $format --most 10000000 --sources "$work/sources" --object load.elf
done
branches=$(build/undertrace decode "$work/load/capture" --branches "$work/list" | awk '$1 == "branches" { gsub(",", "", $2); print $2 }')

# Sums of the call tree.
same 'folded: all branches are in it' "$(awk '{ sum += $NF } END { print sum }' "$work/load.folded")" "$branches"
check 'callgrind_annotate reads it' callgrind_annotate --inclusive=no "$work/load.callgrind"
same 'callgrind: all branches are in it' \
    "$(callgrind_annotate "$work/load.callgrind" | awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }')" "$branches"
# A function is entered where a branch leads to its first address from outside of it, and by each CALL.
nm "$elf" | awk '$2 ~ /[tT]/ { print $1, $3 }' >"$work/symbols"
awk -F, '/^FNDA:/ { sub("FNDA:", "", $1); if ($1 > 0) print $2, $1 }' "$work/load.lcov" | sort >"$work/called"
awk 'NR == FNR { name[$1] = $2; next } $2 in name { count[name[$2]]++ } END { for (each in count) print each, count[each] }' \
    "$work/symbols" "$work/list" | sort >"$work/listed"
same 'lcov: each function was entered as often as branches lead to it' \
    "$(join "$work/called" "$work/listed" | awk '{ n++; bad += $2 != $3 } END { print (n > 2), bad + 0 }')" '1 0'
same 'callgrind: and as often by its callers' "$(awk '/^cfn=/ { name = $2 } /^calls=/ { sub("calls=", "", $1); calls[name] += $1 }
    END { for (each in calls) print each, calls[each] }' "$work/load.callgrind" | sort | join - "$work/called" |
    awk '{ n++; bad += $2 != $3 } END { print (n > 2), bad + 0 }')" '1 0'
check 'genhtml makes pages of it' genhtml --quiet --output-directory "$work/coverage" "$work/load.lcov"
same 'with functions that ran' "$(grep -c 'guest_main' "$work/coverage"/*/*functions*.func.html "$work/coverage"/*.func.html 2>/dev/null |
    awk -F: '{ sum += $NF } END { print (sum > 0) }')" 1

# Two functions of one name: lcov 2 rejects a file that defines a function twice, and lcov 1 counts it once.
mkdir -p "$work/twice"
objcopy --redefine-sym turn=up "$elf" "$work/twice/load.elf"
build/undertrace export "$work/load/capture" --files "$work/twice/load.elf" --format lcov -o "$work/twice.lcov" \
    --sources "$work/twice/sources" 2>"$work/twice.err"
same 'lcov: two functions of one name are two' "$(sed -n 's/^FN:[0-9]*,//p' "$work/twice.lcov" | sort | uniq -d | wc -l)
$(sed -n 's/^FN:[0-9]*,//p' "$work/twice.lcov" | grep -c '^up ([0-9a-f]*)$')" '0
2'
same 'and genhtml counts them all' "$(genhtml --output-directory "$work/twice/html" "$work/twice.lcov" 2>/dev/null |
    sed -n 's/.*functions\.*: .*of \([0-9]*\) functions.*/\1/p')" "$(grep -c '^FN:' "$work/twice.lcov")"

# Calls over time.
calls=$(awk '/ calls$/ { gsub(",", ""); print $2; exit }' "$work/load.chrome.log")
merged=$(awk '/calls shorter/ { gsub(",", ""); print $2; exit }' "$work/load.chrome.log")
same 'chrome: jq reads as many calls as the log reports' "$(jq '[.traceEvents[] | select(.ph == "X")] | length' "$work/load.chrome")" "$calls"
same 'what is left out is counted' "$(jq -r '.otherData.merged_calls' "$work/load.chrome")" "${merged:-0}"
same 'with those that it has, these are all' "$(jq '[.traceEvents[] | select(.ph == "X" and .cat != "task")] | length' "$work/load.chrome") $((calls))" \
    "$(awk -v merged="${merged:-0}" '{ sum += $2 } END { print sum - merged }' "$work/called") $calls"
same 'calls lie within those that made them' "$(jq '[.traceEvents[] | select(.ph == "X")] | group_by(.tid) | map(
    reduce .[] as $e ({open: [], bad: 0}; (.open |= map(select(. > $e.ts + 0.0005))) |
        if (.open | length) > 0 and .open[-1] + 0.0015 < $e.ts + $e.dur then .bad += 1 else . end | .open += [$e.ts + $e.dur]) | .bad) | add' \
    <(jq -c '{traceEvents: .traceEvents[:20000]}' "$work/load.chrome"))" 0
decoded=$work/perfetto.txt
check 'perfetto: protoc reads it' \
    sh -c "protoc --proto_path=tests/export --decode=perfetto.protos.Trace perfetto.proto <$work/load.perfetto >$decoded"
same 'all of its fields are known' "$(grep -cE '^ *[0-9]+[:{ ]' "$decoded")" 0
same 'perfetto: calls begin and end, as many as in the other' \
    "$(grep -c TYPE_SLICE_BEGIN "$decoded") $(grep -c TYPE_SLICE_END "$decoded")" "$calls $calls"
same 'names are defined before they are used, or with them' "$(awk '/event_names|event_categories/ { kind = $1 } /^ *iid:/ && kind == "event_names" { known[$2] = 1 }
    /name_iid:/ { used = $2 } /^}/ { bad += used != "" && !(used in known); used = "" } END { print bad + 0 }' "$decoded")" 0
# Perfetto's own reader: as many slices, all closed, and no error in its statistics. Its table has a line of titles.
if command -v trace_processor_shell >/dev/null; then
    echo "SELECT (SELECT COUNT(*) FROM slice) AS slices, (SELECT COUNT(*) FROM slice WHERE dur < 0) AS open,
        (SELECT COALESCE(SUM(value), 0) FROM stats WHERE severity = 'error') AS errors;" >"$work/perfetto.sql"
    same 'perfetto: trace_processor has all calls, closed' \
        "$(trace_processor_shell -q "$work/perfetto.sql" "$work/load.perfetto" 2>"$work/perfetto.log" | grep -v slices | tr -d '" ')" \
        "$calls,0,0"
else
    skip 'perfetto: trace_processor has all calls, closed' 'trace_processor_shell is not on the PATH (no package of Debian has it)'
fi
same 'speedscope: frames open and close in order' "$(jq '[.profiles[] | reduce .events[] as $e ({open: [], at: 0, bad: 0};
    (if $e.at < .at then .bad += 1 else . end) | .at = $e.at |
    if $e.type == "O" then .open += [$e.frame] elif .open[-1] == $e.frame then .open |= .[:-1] else .bad += 1 end) |
    .bad + (.open | length)] | add' "$work/load.speedscope")" 0

# Branches.
bolt=$(command -v perf2bolt-16 perf2bolt | head -n 1)
check 'bolt: perf2bolt reads it' "$bolt" -pa -p "$work/load.bolt" -o "$work/load.fdata" "$elf" -ignore-build-id
same 'its branches are those that were taken' "$(awk '$1 == "B" { print $2, $3, $4 }' "$work/load.bolt" | sort | head -n 200 |
    awk 'NR == FNR { own[$1 " " $2] = $3; next } { sub("^0*", "", $1); sub("^0*", "", $2); if (($1 " " $2) in own) own[$1 " " $2]-- }
    END { for (each in own) { n++; bad += own[each] != 0 } print (n > 5), bad + 0 }' - "$work/list")" '1 0'
build/undertrace export "$work/load/capture" --format bolt -o "$work/none.bolt" --files "$elf" --object none 2>"$work/none.err"
same 'bolt: an object that did not run is an error' "$? $(grep -c 'none: no code of this object ran' "$work/none.err")" '1 1'
build/undertrace export "$work/load/capture" --format folded -o "$work/none.folded" --time 100000- 2>"$work/none.err"
same 'a window after the end is an error that says where the trace ends' "$? $(grep -c -- '--time 100000-: the trace ends at 0\.' "$work/none.err")" '1 1'
# An export that fails leaves no file, and keeps one that was there. Arguments are checked before the trace is decoded.
same 'an export that fails leaves no file' "$(find "$work" -maxdepth 1 -name 'none.bolt*')" ''
echo kept >"$work/kept"
build/undertrace export "$work/load/capture" --format bolt -o "$work/kept" --files "$elf" --object none 2>"$work/none.err"
same 'and keeps one that was there' "$(cat "$work/kept" "$work"/kept.part* 2>/dev/null)" kept
build/undertrace export "$work/load/capture" --format lcov -o "$work/none.lcov" --sources "$work/kept" 2>"$work/none.err"
same 'lcov: listings need a directory' "$? $(cat "$work/none.err")" \
    "1 undertrace: --sources $work/kept: cannot be written: Not a directory"
same 'which is known before the file is made' "$(find "$work" -maxdepth 1 -name 'none.lcov*')" ''
# perf2bolt takes all code of such a file for 64-bit code, and what assembly has begun is none to it.
awk -v from="$(awk '$2 == "up" { sub("^0*", "", $1); print $1 }' "$work/symbols")" '$2 "" >= from ""' "$work/load.bolt" >"$work/load64.bolt"
same 'what ran fits the code' "$("$bolt" -pa -p "$work/load64.bolt" -o "$work/load.fdata" "$elf" 2>&1 |
    sed -n 's/.*mismatching disassembled function contents: \([0-9]*\).*/\1/p')" 0
same 'drcov: as many blocks as it says' "$(sed -n '/^BB Table/q; p' "$work/load.drcov" >"$work/head"
    size=$(($(stat -c %s "$work/load.drcov") - $(stat -c %s "$work/head")))
    line=$(grep -a '^BB Table' "$work/load.drcov")
    echo $(((size - ${#line} - 1) / 8)) $(((size - ${#line} - 1) % 8)))" \
    "$(grep -a '^BB Table' "$work/load.drcov" | awk '{ print $3 }') 0"

# perf: report sums up what the call tree has, by process and function; each with what it calls, too.
# perf_sums DIR OPTIONS...: "symbol sum" of all functions, sorted.
perf_sums() {
    perf report -i "$1" --stdio --show-nr-samples -F period,sym -t '~' -g none --percentage absolute "${@:2}" 2>>"$work/perf.log" |
        awk -F '~' '/^ *[0-9]/ { sub("^ *[[]..? *", "", $2); sub(" *$", "", $2); print $2, $1 + 0 }' | sort
}
if command -v perf >/dev/null; then
    check 'perf: a sample wherever another function runs' export_as load perf --every 1
    perf_sums "$work/load.perf" --no-children >"$work/perf.own"
    awk '{ sum = $NF; sub(" [0-9]*$", ""); n = split($0, way, ";"); own[way[n]] += sum }
        END { for (each in own) print each, own[each] }' "$work/load.folded" | sort >"$work/folded.own"
    check "perf report has the $(wc -l <"$work/folded.own") functions of the call tree, each with its branches" \
        cmp "$work/perf.own" "$work/folded.own"
    perf script -i "$work/load.perf" -F comm,tid,cpu,time,period,event,ip,sym,dso >"$work/perf.script" 2>>"$work/perf.log"
    same 'perf script: a sample for each that the log counts' "$(grep -c 'branches:' "$work/perf.script")" \
        "$(awk '/ samples;/ { gsub(",", ""); print $2 }' "$work/load.perf.log")"
    same 'its call chains are those of the call tree' "$(awk '/branches:/ { period = $(NF - 1); way = ""; next }
        NF { name = $2; way = way == "" ? name : name ";" way; next } { sums[way] += period } END { for (each in sums) print each, sums[each] }' \
        "$work/perf.script" | sort | md5sum)" "$(sed 's/^[^;]*;//' "$work/load.folded" | sort | md5sum)"
    same 'all in the file that --files has named' "$(awk 'NF == 3 && /[(]/ { print $3 }' "$work/perf.script" | sort -u | sed 's|.*/||')" 'load.elf)'
    check 'perf annotate disassembles a function' sh -c "perf annotate -i '$work/load.perf' --stdio -s odd 2>/dev/null | grep -qw ret"
    mv "$work/load.perf" "$work/all.perf"
    check 'perf: a sample at every thousand branches' export_as load perf --every 1000
    same 'is no closer, and all branches are in one but the last' "$(perf script -i "$work/load.perf" -F period 2>/dev/null |
        awk -v all="$branches" '{ sum += $1; bad += $1 < 1000 } END { print bad + 0, (sum <= all && sum > all - 10000) }')" '0 1'
    check 'perf: two CPUs, by time' export_as smp perf --unit ticks --every 1000
    same 'samples of both' "$(perf script -i "$work/smp.perf" -F cpu,event 2>/dev/null | awk '/cpu-clock/ { print $1 }' | sort -u | tr '\n' ' ')" '[000] [001] '
    same 'and their periods are the time between them' "$(perf script -i "$work/smp.perf" --ns -F cpu,time,period,event 2>/dev/null |
        awk '/cpu-clock/ { cpu = $1; time = $2 * 1e9; if (cpu in first) sum[cpu] += $3; else first[cpu] = time; last[cpu] = time }
        END { for (cpu in first) { n++; all = last[cpu] - first[cpu]; bad += sum[cpu] < 0.98 * all || sum[cpu] > all + 1000 } print n, bad + 0 }')" '2 0'
    same 'perf: a directory that is there is not changed' "$(export_as load perf; echo $?)" 1
else
    skip 'perf: opened by perf' 'perf is not installed (linux-perf)'
fi

# Windows, limits, two CPUs.
check 'half of the time is written' export_as load folded --time -0.01
less=$(awk '{ sum += $NF } END { print sum }' "$work/load.folded")
check 'and the other half' export_as load folded --time 0.01-
more=$(awk '{ sum += $NF } END { print sum }' "$work/load.folded")
same 'together they are all of it' "$((less + more)) $((less > 0)) $((more > 0))" "$branches 1 1"
# clipped NAME FROM TO: what each function has between two times, in nanoseconds, of all calls in a file of speedscope's.
clipped() {
    awk -v from="$2" -v to="$3" -f tests/export/clipped.awk "$work/$1" | sort -k 2
}
for name in load smp; do
    check "$name: all calls for speedscope" export_as $name speedscope --most 10000000
    cp "$work/$name.speedscope" "$work/$name.all"
    khz=$(info $name .hello.tsc_khz)
    for window in 0.011-0.013 0.0100001-0.0100002 0.012-0.25; do
        # A window begins and ends at the nearest ticks.
        ends=$(awk -F- -v khz="$khz" 'function at(s) { return int(int(s * khz * 1000 + 0.5) * 1e6 / khz) }
            { print at($1), at($2) }' <<<"$window")
        check "$name: those of $window" export_as $name speedscope --most 10000000 --time $window
        # shellcheck disable=SC2086 # two words
        same "$name: functions have in $window what they have of the whole there" \
            "$(clipped $name.speedscope 0 9999999999999)" "$(clipped $name.all $ends)"
    done
done
# Own times of functions: the report's, and those of each export that has sums, also where nearly all calls are merged.
# agree FILE: has it the same functions as the report, each with the same nanoseconds but for rounding? Both are "ns name".
agree() {
    awk 'NR == FNR { if ($1 > 0) a[$2] += $1; next } $1 > 0 { b[$2] += $1 }
        END { for (each in a) { n++; d = a[each] - b[each]; bad += (d > 0 ? d : -d) > 1000 }
            for (each in b) bad += b[each] > 1000 && !(each in a); print (n > 5), bad + 0 }' "$work/own.report" "$1"
}
for name in load smp; do
    build/undertrace report "$work/$name/capture" --files "build/guests/$name.elf" --json "$work/own.json" >/dev/null
    jq -r '.profile.functions[] | select(.symbol) | "\(.seconds * 1e9) \(.symbol)"' "$work/own.json" >"$work/own.report"
    khz=$(info $name .hello.tsc_khz)
    check "$name: a thousand calls for speedscope" export_as $name speedscope --most 1024
    awk -f tests/export/own.awk "$work/$name.speedscope" | grep -v ' 0x' >"$work/own.speedscope"
    same "$name: speedscope's totals have each function's own time as the report has it" "$(agree "$work/own.speedscope")" '1 0'
    check "$name: folded, by time" export_as $name folded --unit ticks
    awk -v khz="$khz" '{ sum = $NF; sub(" [0-9]*$", ""); n = split($0, way, ";"); print sum * 1e6 / khz, way[n] }' "$work/$name.folded" |
        grep -v ' 0x' >"$work/own.folded"
    same "$name: and folded stacks" "$(agree "$work/own.folded")" '1 0'
    check "$name: callgrind" export_as $name callgrind
    awk -v khz="$khz" '/^fn=/ { name = $2; fresh = 1; next } fresh && /^0 / { print $3 * 1e6 / khz, name; fresh = 0 }' "$work/$name.callgrind" |
        grep -v ' 0x' >"$work/own.callgrind"
    same "$name: and callgrind" "$(agree "$work/own.callgrind")" '1 0'
done
check 'a thousand calls at most' export_as load chrome --most 1024
at_most 'are written' "$(jq '[.traceEvents[] | select(.ph == "X")] | length' "$work/load.chrome")" 1024
same 'and the others counted' "$(($(jq '[.traceEvents[] | select(.ph == "X" and .cat != "task")] | length' "$work/load.chrome") +
    $(jq -r '.otherData.merged_calls' "$work/load.chrome")))" "$(awk '{ sum += $2 } END { print sum }' "$work/called")"
check 'two CPUs are written' export_as smp speedscope
same 'a profile each, and one of totals' "$(jq -c '[.profiles[].name]' "$work/smp.speedscope")" '["CPU 0","CPU 1","totals of all CPUs"]'
check 'one of them is written' export_as smp speedscope --cpu 1
same 'and no other' "$(jq -c '[.profiles[].name]' "$work/smp.speedscope")" '["CPU 1","totals of all CPUs"]'

# speedscope itself, from npm, in a browser. It shows the busier CPU's profile first.
speedscope=build/npm/node_modules/speedscope
speedscope_shows() {
    timeout 300 node tests/page/speedscope.js $speedscope "$1" >"$work/shown"
}
if ! command -v npm >/dev/null || ! command -v chromium >/dev/null; then
    skip 'speedscope opens its file' 'there is no npm, or no chromium'
elif ! { [ -d $speedscope ] || timeout 120 npm install --prefix build/npm --no-audit --no-fund --ignore-scripts speedscope@1.25.0; } >"$work/npm.log" 2>&1; then
    skip 'speedscope opens its file' "npm cannot install speedscope: $(tail -n 1 "$work/npm.log")"
else
    check 'both CPUs for speedscope' export_as smp speedscope
    check 'a browser opens it in speedscope' speedscope_shows "$work/smp.speedscope"
    cpu=$(sed -n 's/^profile: CPU \([0-9]*\).*/\1/p' "$work/shown")
    check 'ticks of the CPU that it shows' export_as smp folded --unit ticks --cpu "${cpu:-0}"
    khz=$(info smp .hello.tsc_khz)
    same 'speedscope shows what functions took, each of a millisecond and more' "$(sed -n 's/^function: \(.*ms\)$/\1/p' "$work/shown" | sort)" \
        "$(awk -v khz="$khz" '{ sum = $NF; sub(" [0-9]*$", ""); n = split($0, way, ";"); own[way[n]] += sum }
        END { for (each in own) if (own[each] >= khz) printf "%s %.2fms\n", each, own[each] / khz }' "$work/smp.folded" | sort)"
    same 'and complains of nothing' "$(grep -c '^complaint' "$work/shown")" 0
fi

# What cannot be.
refused() {
    same "$1 is refused" "$(export_as load "${@:2}"; echo $?)" 1
}
refused 'an unknown format' flames
refused 'an invalid time' folded --time later
refused 'an empty window' folded --time 2-1
refused 'a CPU without a trace' folded --cpu 7
same 'a file of the capture is not changed' "$(build/undertrace export "$work/load/capture" --format=folded -o "$work/load/capture/cpu0.pt" \
    2>/dev/null; echo $?) $(build/undertrace info "$work/load/capture" >/dev/null; echo $?)" '1 0'
done_testing
