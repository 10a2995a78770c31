# What the tests of names share: what the guest's story `names` printed, compared with `undertrace names`. Sourced after
# lib.sh.

# printed BOOT WHAT: what the story printed under this title (kernel, modules 1, maps bash, ...), unpacked.
printed() {
    tr -d '\r' <"$work/$1/console.txt" | sed -n "/^userland: names, $2 begin/,/^userland: names, $2 end/p" |
        grep -v '^userland: ' | base64 -d | gunzip
}

# list BOOT OPTIONS...: the functions that were entered, to BOOT/names.
list() {
    local dir=$work/$1
    shift
    build/undertrace names "$dir/capture" "$@" >"$dir/names" 2>"$dir/names.log" || { cat "$dir/names.log"; return 1; }
}

# For awk: what hexadecimal digits are worth, of at most 13 of them.
hex='function hex(text, i, n) { for (i = 1; i <= length(text); i++) n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1; return n }'

# kernel_agrees BOOT: each function of the kernel has the name that the guest has for it.
kernel_agrees() {
    local dir=$work/$1 counts
    printed "$1" kernel >"$dir/kallsyms"
    counts=$(awk 'NR == FNR { own[$1 " " $3] = 1; next }
        $1 == "-" && $6 == "vmlinux" { if (($2 " " $5) in own) good++; else { bad++; print >"'"$dir/differ"'" } }
        END { print good + 0, bad + 0 }' "$dir/kallsyms" "$dir/names")
    if [ "${counts#* }" = 0 ] && [ "${counts% *}" -gt 4000 ]; then
        pass "$1: the kernel's functions have the guest's own names (${counts% *})"
    else
        fail "$1: the kernel's functions have the guest's own names" \
            "${counts% *} agree, ${counts#* } do not: $(head -n 5 "$dir/differ" 2>/dev/null)"
    fi
}

# maps_agree BOOT PROGRAM: all functions at addresses where the guest had mapped a file belong to that file, and each mapped
# file has functions.
maps_agree() {
    local dir=$work/$1 range offset file objects wrong=
    printed "$1" "maps $2" >"$dir/maps.$2"
    while read -r range _ offset _ _ file; do
        objects=$(awk -v first="$(printf %016x "0x${range%-*}")" -v last="$(printf %016x "0x${range#*-}")" \
            '$1 != "-" && $2 "" >= first "" && $2 "" < last "" { print $6 }' "$dir/names" | sort -u)
        [ "$file" = '[vdso]' ] || file=$(basename "$(readlink -f "$file")")
        [ "$objects" = "$file" ] || wrong+="$range of $file: ${objects//$'\n'/, }; "
    done <"$dir/maps.$2"
    same "$1: what was mapped by $2 ($(wc -l <"$dir/maps.$2") files) is theirs" "$wrong$([ -s "$dir/maps.$2" ] || echo none)" ''
}

# tasks_agree BOOT: the hypervisor's task records agree with the guest's tracepoints: the task had each recorded name
# by then, as a thread of that process; each executed program and each forked process has a record.
tasks_agree() {
    local dir=$work/$1 counts
    { printed "$1" 'tasks before'; printed "$1" tasks; } >"$dir/tasks"
    info "$1" '.tasks[] | "\(.pid) \(.thread) \(.borrows) \(.comm)"' >"$dir/records"
    counts=$(awk -v differ="$dir/differ.tasks" -f tests/rig/tasks_agree.awk "$dir/tasks" "$dir/records")
    if [ "${counts#* }" = '0 1 1' ] && [ "${counts%% *}" -gt 50 ]; then
        pass "$1: tasks have the guest's own numbers and names (${counts%% *})"
    else
        fail "$1: tasks have the guest's own numbers and names" "$counts: $(head -n 5 "$dir/differ.tasks" 2>/dev/null)"
    fi
}

# seconds_of BOOT TSC: since the capture's first TSC, as --time has it. `find` has both of some moment.
seconds_of() {
    jq -n --argjson tsc "$2" --argjson khz "$(info "$1" .hello.tsc_khz)" --argjson some \
        "$(build/undertrace find "$work/$1/capture" --json 0-ffffffffffffffff 2>/dev/null | jq .first)" \
        '$some.seconds + ($tsc - $some.tsc) / $khz / 1000'
}

# threads_agree BOOT COMM OPTIONS...: of the process that was called COMM at some time, each line of trace has a thread's number
# and a name that it had by the guest's own tracepoints, and each thread that the records have of it has lines.
threads_agree() {
    local dir=$work/$1 pid from
    pid=$(info "$1" "[.tasks[] | select(.comm == \"$2\") | .pid][0]")
    from=$(seconds_of "$1" "$(info "$1" "[.tasks[] | select(.pid == $pid) | .tsc] | min")")
    build/undertrace trace "$dir/capture" --time "$from-" --process "pid:$pid" "${@:3}" |
        sed -E 's/^ *[0-9.]+ [0-9]+ +0x[0-9a-f]+ (.*) \(([0-9]+)\) .*/\2 \1/' | sort | uniq -c >"$dir/threads"
    info "$1" ".tasks[] | select(.pid == $pid) | \"\\(.thread) \\(.comm)\"" | sort -u >"$dir/threads.records"
    awk 'NR == FNR { pid = $0; sub(".*[ :]pid=", "", pid); sub(" .*", "", pid); comm = $0
            if (sub(".* (newcomm|comm)=", "", comm)) { sub(" (clone_flags|oom_score_adj)=.*", "", comm); named[pid " " comm] }
            next }
        FILENAME ~ /records$/ { recorded[$0]; next }
        { name = $0; sub("^ *[0-9]* ", "", name); lines[name]; if (!(name in named)) { print "no such name: " name; bad = 1 } }
        END { for (name in recorded) if (!(name in lines)) { print "has no line: " name; bad = 1 }; exit bad }' \
        "$dir/tasks" "$dir/threads.records" "$dir/threads"
}

# perf_agrees BOOT OPTIONS...: what perf script and perf report read of the boot: functions of the kernel are the guest's own, and
# processes are called, and take, what the report says (BOOT/report.json): within a fifth, as what runs between a fork and its exec is the
# parent's by name to perf, and the process's own to the report.
perf_agrees() {
    local dir=$work/$1
    shift
    build/undertrace export "$dir/capture" "$@" --format perf -o "$dir/perf" 2>"$dir/perf.log" || { cat "$dir/perf.log"; return 1; }
    # Each address of a call chain in the kernel, which is below its modules, with perf's name for it, and between them where the guest's functions begin.
    perf script -i "$dir/perf" -F ip,sym,dso 2>"$dir/perf.err" |
        awk '$1 ~ /^ffffffff[89ab]/ { print $1, "~", $2 }' | sort -u >"$dir/perf.symbols"
    awk '{ print $1, " ", $3 }' "$dir/kallsyms" | sort - "$dir/perf.symbols" |
        awk '$2 != "~" { if ($1 != at) delete own; at = $1; own[$2]; next }
            { all++; if (!($3 in own)) { bad++; if (bad < 4) print } }
            END { print all + 0, bad + 0 }' >"$dir/perf.kernel"
    perf report -i "$dir/perf" --stdio --sort comm -F comm,period -t '~' -g none --no-children 2>>"$dir/perf.err" |
        awk -F '~' '!/^#/ && NF == 2 { sub("^ *", "", $1); sub(" *$", "", $1); print $1 "~" $2 + 0 }' | sort >"$dir/perf.comms"
    { jq -r '.profile.processes[] | "\(if .cr3 then .comm else "kernel tasks" end)~\(.branches)"' "$dir/report.json"
        info "$(basename "$dir")" '.tasks[] | "\(.comm)~0"'
    } | awk -F '~' '{ sum[$1] += $2 } END { for (comm in sum) printf "%s~%.0f\n", comm, sum[comm] }' >"$dir/report.comms"
    awk -F '~' 'NR == FNR { sum[$1] = $2; next }
        !($1 in sum) { print "no process is called " $1; bad = 1 }
        { all++; seen[$1] = $2 }
        END { for (comm in sum) if (sum[comm] > 5e6 && (seen[comm] < 0.8 * sum[comm] || seen[comm] > 1.2 * sum[comm])) {
            print comm " has " sum[comm] ", perf says " seen[comm] + 0; bad = 1 }
            exit bad || all < 10 }' "$dir/report.comms" "$dir/perf.comms"
}
