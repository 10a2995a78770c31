# What the tests of names share: what the guest's story `names` told, and `undertrace names` beside it. Sourced, behind lib.sh.

# told BOOT WHAT: what the story told of it (kernel, modules 1, maps bash, ...), unpacked.
told() {
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
    told "$1" kernel >"$dir/kallsyms"
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

# maps_agree BOOT PROGRAM: where the guest had mapped a file, functions are of that file, and of each that it had mapped some.
maps_agree() {
    local dir=$work/$1 range offset file objects wrong=
    told "$1" "maps $2" >"$dir/maps.$2"
    while read -r range _ offset _ _ file; do
        objects=$(awk -v first="$(printf %016x "0x${range%-*}")" -v last="$(printf %016x "0x${range#*-}")" \
            '$1 != "-" && $2 "" >= first "" && $2 "" < last "" { print $6 }' "$dir/names" | sort -u)
        [ "$file" = '[vdso]' ] || file=$(basename "$(readlink -f "$file")")
        [ "$objects" = "$file" ] || wrong+="$range of $file: ${objects//$'\n'/, }; "
    done <"$dir/maps.$2"
    same "$1: what was mapped by $2 ($(wc -l <"$dir/maps.$2") files) is theirs" "$wrong$([ -s "$dir/maps.$2" ] || echo none)" ''
}

# tasks_agree BOOT: what the hypervisor has told of tasks is what the guest's tracepoints say of them: each name that it told the
# task had by then, as a thread of that process; each program that was executed, and each process that was forked, was told.
tasks_agree() {
    local dir=$work/$1 counts
    { told "$1" 'tasks before'; told "$1" tasks; } >"$dir/tasks"
    info "$1" '.tasks[] | "\(.pid) \(.thread) \(.borrows) \(.comm)"' >"$dir/told"
    counts=$(awk -v differ="$dir/differ.tasks" -f tests/rig/tasks_agree.awk "$dir/tasks" "$dir/told")
    if [ "${counts#* }" = '0 1 1' ] && [ "${counts%% *}" -gt 50 ]; then
        pass "$1: tasks have the guest's own numbers and names (${counts%% *})"
    else
        fail "$1: tasks have the guest's own numbers and names" "$counts: $(head -n 5 "$dir/differ.tasks" 2>/dev/null)"
    fi
}
