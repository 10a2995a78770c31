#!/bin/bash
# Datagrams of others: whatever they are, they neither stop the receiver nor get into the capture. The sender and the forgers are
# tests/tools/wire.py, which is written from docs/wire.md.
. tests/system/lib.sh
. tests/rig/boot_lib.sh

# receive_from SCENARIO WORDS...: the receiver's exit status is in $status, what it says in $work/SCENARIO.log.
start_receiver() {
    local scenario=$1
    shift
    port=$(free_port)
    mkdir -p "$work/$scenario.sent"
    timeout 120 build/undertrace receive --udp "$port" --bind 127.0.0.1 --quiet -o "$work/$scenario" "$@" 2>"$work/$scenario.log" &
    receiver=$!
    until udp_port_is_open "$port" || ! kill -0 $receiver 2>/dev/null; do sleep 0.05; done
}
receive_from() {
    local scenario=$1
    start_receiver "$@"
    check "$scenario: the sender finds nothing wrong" python3 tests/tools/wire.py "$scenario" "$port" "$work/$scenario.sent"
    wait $receiver
    status=$?
}
whole() {
    same "$1: the receiver ends by itself" "$status $(tail -n 1 "$work/$1.log")" "0 undertrace: $work/$1: complete"
    check "$1: the trace is the machine's" cmp "$work/$1/cpu0.pt" "$work/$1.sent/trace"
    same "$1: there are no other files" "$(cd "$work/$1" && echo *)" 'checksums cpu0.pt events.bin index meta.json'
    same "$1: one CPU" "$(jq .nr_cpus "$work/$1/meta.json")" 1
    at_most "$1: the log is short" "$(wc -l <"$work/$1.log")" 6
}

receive_from first
whole first
same 'first: it is said that the first stream was not the machine' \
    "$(grep -c 'stream 00000bad, which came first, does not react' "$work/first.log")" 1
receive_from forged
whole forged

# Commands: clients that say nothing wait beside others; the machine's numbers are continued; nothing reaches a terminal.
start_receiver answers
python3 tests/tools/wire.py answers "$port" "$work/answers.sent" >"$work/sender.log" 2>&1 &
sender=$!
until [ -S "$work/answers/control" ]; do sleep 0.05; done
python3 - "$work/answers/control" <<'END' &
import socket, sys, time
silent = [socket.socket(socket.AF_UNIX) for _ in range(40)]
for one in silent:
    one.connect(sys.argv[1])
open(sys.argv[1] + ".silent", "w").close()
time.sleep(60)
END
silent=$!
until [ -e "$work/answers/control.silent" ]; do sleep 0.05; done
check 'a command is answered while 40 clients say nothing' build/undertrace control "$work/answers" status
kill $silent
build/undertrace control "$work/answers" status >"$work/status"
wait $sender
same 'the sender has got two commands' "$? $(cat "$work/sender.log")" '0 '
wait $receiver
same 'answers: the receiver ends by itself' "$?" 0
build/undertrace info "$work/answers" >"$work/info"
build/undertrace report "$work/answers" >"$work/report" 2>&1
for file in info status; do
    same "$file: a terminal gets no control characters" "$(tr -d '\n -~' <"$work/$file" | wc -c) $(grep -c '\\x1b\]0;owned' "$work/$file")" \
        "0 $([ $file = info ] && echo 2 || echo 1)"
done

# With a key.
printf '%s\n' 404142434445464748494a4b4c4d4e4f >"$work/key"
receive_from keyed --key "$work/key"
whole keyed
same 'keyed: frames without the tag are counted' "$(grep -c '^undertrace: ignored: [0-9,]* frames without the tag' "$work/keyed.log")" 1
receive_from otherkey --key "$work/key" --timeout 3
same 'otherkey: nothing is received' "$status $(grep -c 'nothing was received' "$work/otherkey.log")" '2 1'
same 'otherkey: it is said why' "$(grep -c 'another key= or none' "$work/otherkey.log")" 1
start_receiver nokey --timeout 3
python3 tests/tools/wire.py otherkey "$port" "$work/nokey.sent" >/dev/null
wait $receiver
same 'a receiver without a key says that the machine has one' "$(grep -c 'give the same one by --key' "$work/nokey.log")" 1
echo 123 >"$work/short"
for key in "$work/short" "$work/none"; do
    build/undertrace receive --udp 1 --key "$key" -o "$work/never" 2>"$work/message"
    same "a key file that cannot be used: ${key##*/}" "$? $(grep -cF "$key: " "$work/message")" '1 1'
done

receive_from long --limit 1M
same '--limit: the receiver stops' "$status $(grep -c 'has reached --limit' "$work/long.log")" '2 1'
at_most '--limit: about so many bytes are stored' "$(cat "$work/long"/* | wc -c)" $((2 << 20))
check '--limit: what is there is the machine'\''s' cmp -n "$(stat -c %s "$work/long/cpu0.pt")" "$work/long/cpu0.pt" "$work/long.sent/trace"
check '--limit: the capture is not damaged' build/undertrace info "$work/long"
done_testing
