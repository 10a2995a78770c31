#!/bin/bash
# undertrace serve: what it serves is what page and trace write, and requests without the token are refused.
. tests/system/lib.sh

tool=build/undertrace files='--files build/guests/smp.elf'
if $tool serve /nowhere 2>&1 | grep -q 'built without libmicrohttpd'; then
    skip 'the page from a server' 'libmicrohttpd-dev was not there when undertrace was built'
    done_testing
fi
CPUS=2 check 'a guest with two CPUs boots' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
capture=$work/smp/capture

# serve OPTIONS...: start the server, and wait for its address: $url.
serve() {
    # shellcheck disable=SC2086 # several words
    : >"$work/url"
    $tool serve "$capture" $files "$@" >"$work/url" 2>"$work/serve.txt" &
    server=$!
    until [ -s "$work/url" ] || ! kill -0 $server 2>/dev/null; do sleep 0.1; done
    read -r url <"$work/url"
}
end_server() {
    kill -INT $server
    wait $server
}
get() { curl -s --max-time 300 "$@"; }
status() { get -o /dev/null -w '%{http_code}' "$@"; }

serve
port=${url#http://127.0.0.1:} port=${port%%/*}
same 'the address has a token' "$(grep -cE '^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' "$work/url")" 1
same 'the server listens on this machine only' \
    "$(awk -v port="$(printf %04X "$port")" '$4 == "0A" && $2 ~ ":" port "$" { print $2 }' /proc/net/tcp /proc/net/tcp6)" \
    "0100007F:$(printf %04X "$port")"

# --- what is refused --------------------------------------------------------------------------------------------------
base=http://127.0.0.1:$port
same 'without the token: 403' "$(status "$base/") $(status "$base/window?time=0-1") $(status "$base/favicon.ico")" '403 403 403'
wrong=${url%?/}$(tr 0-9a-f 1-9a-f0 <<<"${url: -2:1}")/
same 'with a wrong one, too' "$(status "$wrong")" 403
same 'another host name: 403' "$(status -H 'Host: evil.example' "$url") $(status -H 'Host: localhost' "$url")" '403 200'
same 'no host: refused' "$(status -0 -H 'Host:' "$url")" 403
same 'other methods: 405' "$(status -X POST -d x=1 "$url") $(status -X PUT "$url") $(status -X DELETE "$url")" '405 405 405'
same 'no path leads to a file' \
    "$(status --path-as-is "$url../../../../etc/passwd") $(status "${url}%2e%2e/%2e%2e/etc/passwd") $(status "${url}meta.json")" '404 404 404'
same 'wrong arguments: 400' "$(for words in 'window' 'window?time=x' 'window?time=2-1' 'window?tim=0-1' 'window?time=0-1&time=0-1' \
    "window?time=$(printf %065d 0)-1" 'list?time=0-1' 'list?time=0-1&what=x' 'list?time=0-1&what=branches&lines=20001' \
    'list?time=0-1&what=branches&cpu=7' 'call?after=0' 'call?of=%20&after=0' 'call?of=x' 'call?of=x&after=y' 'call?of=x&after=0&before=1' \
    'call?of=x&after=0&nth=y'; do status "$url$words"; done)" "$(printf '400%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)"
check 'a request line that is too long is refused' sh -c "case $(status "$url$(printf %020000d 0)") in 4??) ;; *) false ;; esac"
same 'a port that is taken: one line' "$($tool serve "$capture" --port "$port" 2>&1)" \
    "undertrace: TCP port $port of 127.0.0.1 is not available; choose another with --port: Address already in use"
same 'a wrong address: one line' "$($tool serve "$capture" --listen evil.example 2>&1)" \
    "undertrace: --listen: 'evil.example' is neither an IP address nor localhost"

# --- the same as page and trace -----------------------------------------------------------------------------------------
# shellcheck disable=SC2086 # several words
$tool page "$capture" $files -o "$work/page.html" 2>/dev/null
same 'the page is that of undertrace page' "$(get "$url" | sed 's/^"served":true/"served":false/' | md5sum)" "$(md5sum <"$work/page.html")"
same 'HEAD has its length, and no more' "$(get -I "$url" | tr -d '\r' | sed -n 's/^Content-Length: //p')" "$(($(stat -c %s "$work/page.html") - 1))"

# facts FILE.html, columns FILE.html: the data of a page.
facts() { awk '/id="facts">/ { on = 1; sub(/.*id="facts">/, "") } on { end = sub(/<\/script>.*/, ""); print } end { exit }' "$1"; }
columns() { sed -n 's/^<script type="text\/plain" id="column-\(.*\)">\(.*\)<\/script>$/\1 \2/p' "$1"; }
# window NAME TIME OPTIONS...: the window that is served, and the page of it.
window() {
    local name=$1 time=$2
    shift 2
    get "${url}window?time=$time${1:+&most=$2}" >"$work/$name.json"
    # shellcheck disable=SC2086 # several words
    $tool page "$capture" $files --time "$time" "$@" -o "$work/$name.html" 2>/dev/null
    same "$name: all columns are those of page --time" "$(jq -r '.columns | to_entries[] | "\(.key) \(.value)"' "$work/$name.json" | md5sum)" \
        "$(columns "$work/$name.html" | md5sum)"
    same "$name: so are the facts, but for what is the same for each window" \
        "$(jq -cS '.facts | del(.served, .names, .objects)' "$work/$name.json")" \
        "$(facts "$work/$name.html" | jq -cS 'del(.served, .names, .objects, .guest, .machine, .exits, .about, .kernel)')"
    same "$name: and the functions that ran in it" \
        "$(jq -c '.facts | .objects as $o | .names[] | select(. != 0) | .[1] = if .[1] < 0 then null else $o[.[1]] end' "$work/$name.json")" \
        "$(facts "$work/$name.html" | jq -c '.objects as $o | .names[] | select(.[4] > 0 or .[7] > 0 or .[9] != null) | .[1] = if .[1] < 0 then null else $o[.[1]] end')"
}
doubles() { jq -r ".columns[\"$2\"]" "$work/$1.json" | base64 -d | od -An -v -tf8 -w8; }
window part 0.05-0.058
window ticks 2500000t-2500500t
window few 0-1 --most 1024
same 'the whole has more calls than were asked for: some are merged' "$(jq '.facts.merged > 0' "$work/few.json")" true
same 'a short window has each call on its own' "$(jq .facts.merged "$work/ticks.json")" 0
# shellcheck disable=SC2086 # several words
same 'part: branches are those of export --format folded' "$(doubles part node-branches | awk '{ sum += $1 } END { printf "%d\n", sum }')" \
    "$($tool export "$capture" $files --format folded --time 0.05-0.058 -o - 2>/dev/null | awk '{ sum += $NF } END { print sum }')"

# list WHAT OPTIONS...: the list that is served, and that of trace.
list() {
    local what=$1
    shift
    # shellcheck disable=SC2086 # several words
    same "list: $what $* is that of trace" \
        "$(get "${url}list?time=0.05-0.052&what=$what$(printf '&%s=%s' ${*//--/})" | md5sum)" \
        "$($tool trace "$capture" $files --time 0.05-0.052 --what "$what" "$@" ${disassemble:-} 2>/dev/null | md5sum)"
}
list functions --lines 2000
list branches --cpu 1 --lines 3000
$tool trace --what instructions --disassemble /nowhere 2>&1 | grep -q 'without Zydis' || disassemble=--disassemble
list instructions --cpu 0 --lines 1000
same 'of instructions there are as many as were asked for' \
    "$(get "${url}list?time=0.05-0.052&what=instructions&cpu=0&lines=1000" | wc -l)" 1000

# --- the calls of a function ------------------------------------------------------------------------------------------
# calls SIDE TIME: each next (after) or previous (before) call of console_line: ticks, CPU, and which of those at the same tick.
calls() {
    local side=$1 where=$2 call
    while call=$(get "${url}call?of=CONSOLE%20line&$side=$where") && [ "$call" != null ]; do
        jq -r '[.ticks, .cpu, .nth] | @tsv' <<<"$call" || return
        where=$(jq -r '"\(.ticks)t&cpu=\(.cpu)&nth=\(.nth)"' <<<"$call")
    done
}
get "${url}window?time=0-1" >"$work/all.json"
integers() { jq -r ".columns[\"$1\"]" "$work/all.json" | base64 -d | od -An -v "-tu$2" "-w$2"; }
paste <(integers name 4) <(integers begin 4) <(integers entry 1) |
    awk -v name="$(jq '.facts.names | map(if type == "array" then .[0] else "" end) | index("console_line")' "$work/all.json")" \
        -v zero="$(jq '.facts.begin_ticks' "$work/all.json")" '$1 == name && $3 != 255 { print $2 + zero }' | sort -n >"$work/begins"
calls after 0t >"$work/after"
calls before 1000 >"$work/before"
check 'console_line is called more than once' test "$(wc -l <"$work/begins")" -gt 5
# shellcheck disable=SC2086 # several words
same 'next calls of a function: as many as latency counts' "$(wc -l <"$work/after")" \
    "$($tool latency "$capture" $files --json console_line 2>/dev/null | jq '.functions[0].number')"
same 'and at the times of the time line, which has all but those of no tick' "$(cut -f 1 "$work/after" | grep -cFxf "$work/begins")" "$(wc -l <"$work/begins")"
same 'each previous one is the same, from the end on' "$(tac "$work/before" | md5sum)" "$(md5sum <"$work/after")"
same 'of what never ran there is no call' "$(get "${url}call?of=no_such_function&after=0t")" null

# --- the page that uses it --------------------------------------------------------------------------------------------
if command -v chromium >/dev/null && command -v node >/dev/null; then
    end_server
    serve --most 1024
    value() { sed -n "s/^$1: //p" "$work/browser.txt"; }
    check 'the page works in a browser' sh -c "timeout 300 node tests/page/served.js '$url' console_line >'$work/browser.txt'"
    for what in merged whole window kept sums listed 'whole again' link 'link made' moment 'no time' 'hits in order' 'hits back' 'merged everywhere' selected \
        unselected measured 'function link' 'to the first callee' 'its link' back 'to the first caller' 'by key' 'no such function'; do
        same "in a browser: $what" "$(value "$what" | sort -u)" true
    done
    same 'the hits of a search are all calls' "$(value hits)" "$(wc -l <"$work/after")"
    same 'nothing to complain of' "$(value complaints)" none
    # shellcheck disable=SC2086 # several words
    $tool page "$capture" $files --time "$(value range | head -n 1)" -o "$work/zoomed.html" 2>/dev/null
    same 'zooming in shows each call of the part' "$(value calls) $(value 'window merged')" \
        "$(facts "$work/zoomed.html" | jq '[.tracks[][2]] | add') 0"
    # shellcheck disable=SC2086 # several words
    same 'the list begins as that of trace' "$(value 'first line')" \
        "$($tool trace "$capture" $files --time "$(value 'list range')" --lines 1 2>/dev/null | sed 's/^ *//')"
else
    skip 'the page in a browser' 'chromium and nodejs cannot be installed here'
fi

# --- the end ----------------------------------------------------------------------------------------------------------
end_server
same 'Ctrl-C ends it: exit status' $? 0
serve --listen 0.0.0.0 --no-token --time 0.05-0.058
same 'another address: a warning' "$(grep -c 'other machines can reach this server' "$work/serve.txt")" 1
same 'without a token, but still not for any name' "$url $(status "http://127.0.0.1:${url##*:}") $(status -H 'Host: evil.example' "http://127.0.0.1:${url##*:}")" \
    "http://0.0.0.0:${url##*:} 200 403"
kill -TERM $server
wait $server
same 'SIGTERM ends it: exit status' $? 0
done_testing
