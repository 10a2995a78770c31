#!/bin/bash
# The HTML page, in a headless Chromium: it opens without a complaint, asks for nothing from elsewhere, and search, zoom and all
# views work. PAGE_CAPTURE= and PAGE_OPTIONS= take another capture, like that of a whole Debian.
. tests/system/lib.sh

if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    skip 'the page in a browser' 'chromium and nodejs cannot be installed here'
    done_testing
fi

# value NAME FILE: of what tests/page/check.js has printed.
value() {
    sed -n "s/^$1: //p" "$work/$2.txt"
}

# Of a capture that is given parts may not be known: status 2, which is said.
written() {
    "$@"
    local status=$?
    [ $status -eq 0 ] || { [ $status -eq 2 ] && [ -n "${PAGE_CAPTURE:-}" ]; }
}

# page NAME WORD CAPTURE OPTIONS...: write the page of a capture, and look at it.
page() {
    local name=$1 word=$2 capture=$3
    shift 3
    check "$name: the page is written" written build/undertrace page "$capture" -o "$work/$name.html" "$@"
    check "$name: it opens" sh -c "timeout 300 node tests/page/check.js '$work/$name.html' '$word' >'$work/$name.txt'"
    same "$name: nothing to complain of" "$(value complaints "$name")" none
    at_most "$name: open after milliseconds" "$(value seconds "$name" | awk '{ print int(1000 * $1) }')" "${PAGE_MILLISECONDS:-60000}"
    at_most "$name: bytes" "$(stat -c %s "$work/$name.html")" 100000000
    same "$name: all branches are in the call tree" "$(value tree "$name") $(value flame "$name")" \
        "$(value branches "$name") $(value branches "$name")"
    same "$name: the search finds $word, and says what it is" "$(value found "$name") $(value details "$name")" "$word $word"
    same "$name: its longest call is zoomed to" "$(value zoomed "$name") $(value chosen "$name")" "true $word"
    same "$name: wheel and keys" "$(value wheel "$name") $(value all "$name")" 'true true'
    same "$name: every view shows something" "$(grep -c '^view .*: true$' "$work/$name.txt") $(grep -c '^view' "$work/$name.txt")" '7 7'
    same "$name: a flame graph of a part" "$(value part "$name")" true
    same "$name: as wide as the window" "$(value wide "$name")" true
}

if [ -n "${PAGE_CAPTURE:-}" ]; then
    # shellcheck disable=SC2086 # several options
    page given "${PAGE_WORD:-start_kernel}" "$PAGE_CAPTURE" ${PAGE_OPTIONS:-}
    done_testing
fi

CPUS=2 check 'a guest with two CPUs boots' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
MOVES=1 page smp console_line "$work/smp/capture" --files build/guests/smp.elf
for what in link 'link made' moment 'no time' 'hits in order' 'hits back' selected sums unselected measured 'function link' \
    'to the first callee' 'its link' back 'to the first caller' 'by key' 'no such function'; do
    same "links, go-to box, hits, selection, callers: $what" "$(value "$what" smp)" true
done
same 'parts in the go-to box' "$(value 'go to part' smp) $(value 'go to range' smp)" 'true true true true'
same 'both CPUs are there' "$(value tracks smp)" 2
same 'VM exits are marked, as many as there were packets of' "$(value exits smp)" "$(for cpu in 0 1; do
    build/undertrace dump "$work/smp/capture" --cpu $cpu | awk '$2 == "pip" { nr = /, nr /; if (was && !nr) left = 1; was = nr }
        $2 == "tsc" && left { n++; left = 0 } END { print n + 0 }'
done | awk '{ sum += $1 } END { print sum }')"

build/undertrace report "$work/smp/capture" --files build/guests/smp.elf --json "$work/report.json" >/dev/null
# Of ticks: the report's seconds have nine decimals, and a tick is 20 ns.
same 'functions have the own times of the report' "$(value own smp | tr ' ' '\n' | grep -v '^0x' | tr : ' ' |
    awk '{ printf "%s %d\n", $1, $2 }' | sort)" \
    "$(jq -r '.profile.functions[] | select(.symbol and .seconds > 0) | "\(.symbol) \(.seconds)"' "$work/report.json" | awk -v khz="$(info smp .hello.tsc_khz)" '{ printf "%s %.0f\n", $1, $2 * khz * 1000 }' | sort)"
page window console_line "$work/smp/capture" --files build/guests/smp.elf --time 0.05-0.058
same 'a page of a window begins and ends with it' "$(value range window)" '0.05000 s + 8.00 ms'
same 'and stacks are no deeper in it' "$(($(value deepest window) <= $(value deepest smp)))" 1

check 'a guest that loses trace boots' boot_guest gaps load 'channel=e1000 net.mtu=9000 pt.regions=4 pt.region=16K policy=drop'
page gaps odd "$work/gaps/capture" --files build/guests/load.elf
same 'the gaps are marked' "$(($(value gaps gaps) >= $(gaps gaps '.tsc_from > 0')))" 1

check 'a guest with SMIs boots' boot_guest smi smi 'channel=e1000 net.mtu=9000'
page smi console_line "$work/smi/capture" --files build/guests/smi.elf
same 'the SMIs are marked' "$(value blackouts smi)" "$(grep -ac '^smi: [0-9]' "$work/smi/console.txt")"
same 'where there are none, none is' "$(value blackouts smp)" 0
DARK=1 page dark console_line "$work/smp/capture" --files build/guests/smp.elf --most 1024 --ways 20
build/undertrace callgraph "$work/smp/capture" --files build/guests/smp.elf --json '*' |
    jq -r '.functions[] | .address as $of | {callers, callees} | to_entries[] | .key as $what | .value[] |
        "\($of) \($what) \(.address) \(.calls) \(.branches) \(.on_cpu_ticks)"' | sort >"$work/callgraph.txt"
check 'functions call each other' test "$(wc -l <"$work/callgraph.txt")" -gt 20
for name in smp dark; do # dark: the call tree is cut
    same "$name: callers and callees of all functions are those of callgraph" "$(value neighbour $name | sort | md5sum)" "$(md5sum <"$work/callgraph.txt")"
done
done_testing
