# perf as the judge of the model: for rows/run.sh, which sets $root and $out, and for tests/system/model/model_perf.sh. Sourced.
# shellcheck shell=bash disable=SC2154

build_perf_tools() {
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$root" -o "$out/perfdata_wrap" "$root/tests/tools/perfdata_wrap.c" \
        "$root"/tests/tools/perfdata/*.c "$root/pt/packet/parse.c" "$root/decode/export/perf_data.c"
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -o "$out/dump_to_perf" "$root/tests/tools/dump_to_perf.c"
}

# The packets of all traces of a run of rows as perf sees them: as in tests/system/decode/dump_agrees.sh. $1: its directory.
perf_sees_packets() {
    "$out/perfdata_wrap" "$1/all.pt" 0 "$(stat -c %s "$1/all.pt")" "$1/perf.data" &&
        "$out/dump_to_perf" 0 <"$1/all.dump" >"$1/words" || return 1
    perf script -D -i "$1/perf.data" 2>"$1/perf.log" |
        sed -n 's/^\.  \([0-9a-f]\{8\}\):  .\{48\}\(.*\)$/\1: \2/p' | sed 's/ *$//; / PAD$/d' >"$1/perf"
    diff "$1/words" "$1/perf" >"$1/perf.diff"
}

# perf_decodes NAME IMAGE BASE CTL WORDS...: NAME.pt through perfdata_wrap and perf; NAME.perf has the branches that perf
# finds, as "from to", and "overflow" where it reports one. perf's own words are in NAME.script and NAME.log.
perf_decodes() {
    local name=$1
    shift
    "$out/perfdata_wrap" "$name.pt" 0 "$(stat -c %s "$name.pt")" "$name.data" "$@" || return
    perf script -i "$name.data" --itrace=i1ibe -F event,ip,addr,flags >"$name.script" 2>"$name.log" || return
    perf_branches <"$name.script" >"$name.perf"
}

# A branch that was not taken is an instruction in perf's list, and its target is the next one. Starts and ends of tracing
# are not branches. perf reports an OVF in place of the PSBEND of a PSB+ with FUP as another error, at IP 0.
perf_branches() {
    awk '
        function missed(next_ip) { if (from) print from, next_ip; from = "" }
        /instruction trace error/ { from = ""; print / code 7: Overflow packet| ip 0 code 6:/ ? "overflow" : $0 }
        / branches:/ { missed($(NF - 2) == "0" ? $NF : $(NF - 2)) }
        / branches:/ && !/tr (strt|end)/ { print $(NF - 2), $NF }
        / instructions:/ { missed($NF) }
        / instructions:/ && $(NF - 2) == "jcc" && $(NF - 1) == "0" { from = $NF }'
}

# Where perf leaves NAME.truth, or NAME.instructions if that exists: nowhere, but that each overflow hides a run of branches
# that ends at the truth's mark.
perf_differences() {
    awk '
        function mark(at) { return truth[at] ~ /^ffffffffffffffff / }
        FNR == NR { truth[++n] = $0; next }
        $0 == "overflow" { while (at < n && !mark(at + 1)) at++ }
        { at++ }
        $0 == "overflow" ? !mark(at) : $0 != truth[at] { print "branch " at ": " truth[at] ", perf: " $0; failed = 1; exit }
        END { if (!failed && at != n) print "branch " at + 1 ": " truth[at + 1] ", perf: none" }' "$1.truth" "$1.perf"
    if [ -f "$1.instructions" ]; then
        awk '/ instructions:/ { print $NF }' "$1.script" | diff "$1.instructions" - || true
    fi
    # perf counts the errors that it has listed
    grep -vE '^$|^Warning:$|^[0-9]+ instruction trace errors$' "$1.log" || true
}

# A TAP line for each program in DIR/flows.
perf_follows() {
    local name words at=$1
    objcopy -I binary -O elf32-i386 "$at/rom.bin" "$at/rom32.o" # for the words "code32="
    while read -r name words; do
        # shellcheck disable=SC2086 # words on purpose
        if perf_decodes "$at/$name" "$at/rom.bin" $words; then
            perf_differences "$at/$name" >"$at/$name.diff"
        else
            echo "perf does not decode" >"$at/$name.diff"
        fi
        if [ -s "$at/$name.diff" ]; then
            echo "not ok - $name: perf follows the flow"
            sed 's/^/    /; 12q' "$at/$name.diff"
        else
            echo "ok - $name: perf follows the flow"
        fi
    done <"$at/flows"
}
