# perf as the judge of rows; for run.sh, which sets $root and $out. Each function takes the directory of a run.
# shellcheck shell=bash

build_perf_tools() {
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$root" -o "$out/perfdata_wrap" "$root/tests/tools/perfdata_wrap.c" \
        "$root"/tests/tools/perfdata/*.c "$root/pt/parse.c"
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -o "$out/dump_to_perf" "$root/tests/tools/dump_to_perf.c"
}

# The packets of all traces of a run as perf sees them: as in tests/system/dump_agrees.sh.
perf_sees_packets() {
    "$out/perfdata_wrap" "$1/all.pt" 0 "$(stat -c %s "$1/all.pt")" "$1/perf.data" &&
        "$out/dump_to_perf" 0 <"$1/all.dump" >"$1/words" || return 1
    perf script -D -i "$1/perf.data" 2>"$1/perf.log" |
        sed -n 's/^\.  \([0-9a-f]\{8\}\):  .\{48\}\(.*\)$/\1: \2/p' | sed 's/ *$//; / PAD$/d' >"$1/perf"
    diff "$1/words" "$1/perf" >"$1/perf.diff"
}

# The branches in perf's list of instructions and branches, as "from to". A branch that was not taken is an instruction,
# and went to what comes next. Starts and ends of tracing are no branches.
perf_branches() {
    awk '
        function missed(next_ip) { if (from) print from, next_ip; from = "" }
        /branches/ { missed($(NF - 2) == "0" ? $NF : $(NF - 2)) }
        /branches/ && !/tr (strt|end)/ { print $(NF - 2), $NF }
        /instructions/ { missed($NF) }
        /instructions/ && $(NF - 2) == "jcc" && $(NF - 1) == "0" { from = $NF }'
}

# What differs between the truth and perf's list; none where each of the truth's overflows hides one run of branches
# that ends at its mark, and perf told of so many overflows and of nothing else. $1: path of the row's files.
perf_differences() {
    local marks
    marks=$(grep -c '^ffffffffffffffff ' "$1.truth" || true)
    (diff "$1.truth" "$1.perf" || true) | awk -v marks="$marks" '
        { line[NR] = $0 }
        /^[0-9]/ { hunks++ } /^>/ { more++ } /^< ffffffffffffffff / { hidden++ }
        END { if (hunks != marks || hidden != marks || more) for (i = 1; i <= NR; i++) print line[i] }'
    awk -v marks="$marks" '
        !/instruction trace error/ { next } / code 7: Overflow packet/ { overflows++; next } { print }
        END { if (overflows != marks) print overflows + 0, "overflows, not", marks }' "$1.script"
    if [ -f "$1.instructions" ]; then
        awk '/instructions/ { print $NF }' "$1.script" | diff "$1.instructions" - || true
    fi
    # perf counts the errors that it has listed
    grep -vE '^$|^Warning:$|^[0-9]+ instruction trace errors$' "$1.log" || true
}

perf_follows() {
    local name words at=$1
    while read -r name words; do
        # shellcheck disable=SC2086 # words on purpose
        if "$out/perfdata_wrap" "$at/$name.pt" 0 "$(stat -c %s "$at/$name.pt")" "$at/$name.data" "$at/rom.bin" $words; then
            perf script -i "$at/$name.data" --itrace=i1ibe -F event,ip,addr,flags >"$at/$name.script" 2>"$at/$name.log" ||
                echo "perf script failed" >>"$at/$name.log"
            perf_branches <"$at/$name.script" >"$at/$name.perf"
            perf_differences "$at/$name" >"$at/$name.diff"
        else
            echo "no perf.data" >"$at/$name.diff"
        fi
        if [ -s "$at/$name.diff" ]; then
            echo "not ok - $name: perf follows the flow"
            sed 's/^/    /; 12q' "$at/$name.diff"
        else
            echo "ok - $name: perf follows the flow"
        fi
    done <"$at/flows"
}
