#!/bin/bash
# What the receiver and the commands say when things go wrong: each in one line that names it, with a status that is not 0,
# and without losing what was captured.
. tests/system/lib.sh

export CHANNEL=uart IPS=4000000
check 'branches runs to power-off over the UART' boot_guest branches branches 'channel=uart'
check 'and once more, with other options: another stream id' boot_guest other branches 'channel=uart pt.regions=8'
line=$work/branches/uart.bin other=$work/other/uart.bin capture=$work/branches/capture
undertrace="timeout 60 build/undertrace" # in words

# says NAME STATUS TEXT COMMAND...: the command exits with the status, and one line of what it says has the text.
says() {
    local name=$1 status=$2 text=$3 is
    shift 3
    "$@" >"$work/out.log" 2>"$work/err.log"
    is=$?
    if [ $is = "$status" ] && [ "$(grep -cF -- "$text" "$work/err.log")" = 1 ]; then
        pass "$name"
    else
        fail "$name" "exit status $is, should be $status; no line, or several: $text"$'\n'"$(cat "$work/err.log")"
    fi
}
# receive FILE DIRECTORY WORDS...: from a file, to its end
receive() {
    local file=$1 to=$2
    shift 2
    cat "$file" | $undertrace receive --quiet --uart - -o "$work/$to" "$@"
}

says 'a stream that is whole' 0 'complete' receive "$line" whole
check 'is received as it was sent' cmp "$work/whole/cpu0.pt" "$capture/cpu0.pt"

# --decode: the same thread of branches as `decode` afterwards, of a stream that pauses, too.
decoded=$(build/undertrace decode "$capture" | awk '$1 == "branches" { print $2 }')
says 'a stream is decoded while it comes' 0 "decoded: $decoded branches, 0 decode gaps" receive "$line" live --decode
slowly() {
    (head -c 50000 "$line" && sleep 2 && tail -c +50001 "$line") | $undertrace receive --quiet --uart - -o "$work/slowly" --decode
}
says 'and one that pauses' 0 "decoded: $decoded branches, 0 decode gaps" slowly
says 'names for nothing' 1 '--symbols requires --decode' receive "$line" never --symbols "$line"

# On a terminal, --decode is a screen, in place of lines: of the terminal's size at that time, and what was there comes back.
slow=$work/slow
# on_screen NAME SIZE WORDS... -- WORDS...: receive a stream that pauses until that many pictures were drawn, PICTURES, on a terminal of
# that size; the terminal gets the words before --, the receiver those after it. What the terminal got goes to $work/NAME.tty.
on_screen() {
    local name=$1 size=$2 terminal=() feeder receiver status
    shift 2
    while [ "$1" != -- ]; do terminal+=("$1") && shift; done
    shift
    rm -f "$slow"
    mkfifo "$slow"
    : >"$work/$name.tty"
    TERM=${TERMINAL-xterm} timeout 60 build/tools/on_terminal "$size" "$work/$name.tty" "${terminal[@]}" build/undertrace receive \
        --uart "$slow" -o "$work/$name" --decode "$@" &
    receiver=$!
    {
        head -c 50000 "$line"
        until [ "$(grep -ac "${SHOWN:-undertrace: receiving}" "$work/$name.tty")" -ge "${PICTURES:-2}" ] || ! kill -0 $receiver; do sleep 0.05; done
        [ -n "${STOPS:-}" ] && kill "-$STOPS" "$(pgrep -P "$(pgrep -P $receiver)")" || tail -c +50001 "$line"
    } >"$slow" 2>/dev/null &
    feeder=$!
    wait $receiver
    status=$?
    wait $feeder
    return $status
}
# pictures NAME FROM COLUMNS ROWS: how many pictures there are from that one on, and of these, how many are too large.
pictures() {
    awk -v from="$2" -v columns="$3" -v rows="$4" 'BEGIN { RS = "\033\\[H" } { sub(/\033\[J.*/, "") }
        NR > from { gsub(/\033\[K/, ""); n = split($0, l, "\r+\n"); big = n > rows; for (i in l) big += length(l[i]) > columns; count++; bad += big > 0 }
        END { print (count > 0), bad + 0 }' "$work/$1.tty"
}
# after NAME: what stays on the terminal when it is restored.
after() {
    sed -n ':a; $!{N; ba}; s/.*\x1b\[?25h\x1b\[?1049l//p' "$work/$1.tty" | tr -d '\r'
}
check 'a screen on a terminal' on_screen screen 80x24 --
same 'its pictures fit' "$(pictures screen 1 79 24)" '1 0'
same 'it is left, and its totals stay there' "$(after screen | grep -cE "(undertrace: ended|^decoded  $(build/undertrace decode "$capture" |
    awk '$1 == "branches" { print $2 }') branches, |lost     nothing|undertrace: decoded: $decoded branches, 0 decode gaps)")" 4
check 'the capture is the same' cmp "$work/screen/cpu0.pt" "$capture/cpu0.pt"
PICTURES=6 check 'a terminal that becomes smaller' on_screen smaller 100x40 --then 50x9 --
same 'has pictures of that size then' "$(pictures smaller 4 49 9)" '1 0'
STOPS=INT on_screen interrupted 80x24 --
same 'Ctrl-C restores it' "$? $(after interrupted | grep -cE 'undertrace: (stopped|decoded: )')" '2 2'
STOPS=QUIT on_screen quit 80x24 -- 2>/dev/null
same 'and so does SIGQUIT' "$? $(after quit | wc -c)" '255 0'
TERMINAL=dumb SHOWN=receiving PICTURES=1 check 'a terminal that cannot draw' on_screen dumb 80x24 --
SHOWN=receiving PICTURES=1 check '--no-screen' on_screen lines 80x24 -- --no-screen
for name in dumb lines; do
    same "$name has lines" "$(grep -ac $'\033\[[?H]' "$work/$name.tty") $(grep -ac 'receiving .* branches, .* not decoded yet' "$work/$name.tty")" '0 1'
done
# No program reads what a terminal shows: what arrives is received nevertheless, and the terminal shows the end when it is read again.
deaf() {
    local status=0
    PICTURES=0 on_screen deaf 200x60 --deaf-until "$work/hear" -- --status "$work/deaf.json" &
    until cmp -s "$work/deaf/cpu0.pt" "$capture/cpu0.pt"; do
        [ $((status++)) -lt 1200 ] || return 1
        sleep 0.05
    done
    touch "$work/hear"
    wait $!
}
check 'a terminal that is stopped does not stop the reception' deaf
same 'it shows the end later' "$(after deaf | grep -c "decoded: $decoded branches, 0 decode gaps")" 1
says 'a screen of nothing' 1 '--no-screen requires --decode' receive "$line" never --no-screen
says 'names of a kernel for nothing' 1 '--kernel requires --decode' receive "$line" never --kernel "$line"

# A reception that fails before the first frame leaves no files that would prevent the next.
says 'a source that is not there' 1 "nowhere: No such file" $undertrace receive --uart "$work/nowhere" -o "$work/again"
says 'nothing comes' 2 'nothing was received' receive /dev/null again
says 'a state that cannot be written' 1 'the status cannot be written' receive "$line" again --status "$work/no/status"
says 'the same directory serves again' 0 'complete' receive "$line" again
says 'but no second time' 1 'is not empty' receive "$line" again
says 'a speed that is no number' 1 "--baud: 'abc' is not a number" receive "$line" never --baud abc

# A limit of 40 KiB for a file acts as a full disk.
full() {
    (ulimit -f 40 && receive "$line" full)
}
says 'a full disk is named, with the file and the offset' 1 "events.bin: cannot be written at offset 40960" full
same 'and nothing calls that complete' "$(grep -c complete "$work/err.log") $(grep -c 'failed; what was written before' \
    "$work/err.log")" '0 1'
check 'what was written before is not damaged' $undertrace info "$work/full"

says 'and resumed when there is room, with nothing lost' 0 'complete' receive "$line" full
check 'it has the bytes of one that found room' cmp "$work/full/events.bin" "$work/whole/events.bin"
waiting() {
    (ulimit -S -f 40 && exec build/undertrace receive --quiet --uart "$line" -o "$work/waiting" --wait-for-space 2>"$work/waiting.log") &
    local receiver=$!
    until grep -q 'File too large: waiting for room' "$work/waiting.log" 2>/dev/null; do sleep 0.05; done
    [ "$1" = stop ] && kill -INT $receiver || prlimit --pid $receiver --fsize=unlimited:
    wait $receiver
    echo "$? $(tail -n 1 "$work/waiting.log" | grep -c "$2")"
}
same '--wait-for-space: Ctrl-C ends it, and it says how to resume' "$(waiting stop 'to resume: remove the cause')" '1 1'
same '--wait-for-space: it continues when there is room' "$(waiting raise complete)" '0 1'
check 'with all bytes' cmp "$work/waiting/cpu0.pt" "$work/whole/cpu0.pt"

# The machine is started again on the way, and sends as another version.
head -c $(($(stat -c %s "$line") / 2)) "$line" >"$work/half"
cat "$work/half" "$other" >"$work/rebooted.bin"
says 'another boot on the same line' 2 'ignoring frames of another boot' receive "$work/rebooted.bin" rebooted
{
    cat "$work/half"
    printf '\x55\x54\x46\x1a\x01\x01\x00\x00\xc2\x75\x0e\x0e\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xac\x9f\x88\x58'
} >"$work/version.bin"
says 'another version on the same line' 2 'ignoring frames of wire version 1' receive "$work/version.bin" version
same 'the part before it is kept of both' "$(stat -c %s "$work/rebooted/events.bin" "$work/version/events.bin" | uniq | wc -l)" 1

# A receiver that continues: of a file it reads again what it has; what passed while it was away is a gap with its numbers.
end=$(stat -c %s "$line")
head -c $((end / 3)) "$line" >"$work/growing"
build/undertrace receive --quiet --uart "$work/growing" -o "$work/killed" &
receiver=$!
until [ -s "$work/killed/resume.1" ]; do sleep 0.05; done
kill -KILL $receiver
wait $receiver 2>/dev/null
same 'a receiver that is killed leaves its socket' "$([ -S "$work/killed/control" ] && echo socket)" socket
tail -c +$((end / 3 + 1)) "$line" >>"$work/growing"
says 'and is started again with the same file' 0 'resuming stream' $undertrace receive --quiet --uart "$work/growing" -o "$work/killed"
for file in events.bin index cpu0.pt meta.json; do
    check "and has the same $file as one that was not killed" cmp "$work/killed/$file" "$work/whole/$file"
done
# There is trace after two thirds of the line. The frames at both ends are lost as a whole.
head -c $((end * 2 / 3)) "$line" | $undertrace receive --quiet --uart - -o "$work/away" 2>/dev/null
tail -c +$((end * 2 / 3 + 20001)) "$line" >"$work/rest"
says 'bytes that passed meanwhile are lost' 2 'lost on the wire' receive "$work/rest" away
same 'a gap has their numbers' "$(build/undertrace info --json "$work/away" | jq -c '[.gaps[] | .cause, .bytes > 10000 and .bytes <= 22048] + [.ended]')" \
    '["wire",true,true]'
says 'a capture of a serial line is not resumed over UDP' 1 'resume it with --uart' $undertrace receive --udp 1 -o "$work/version"

# Files of the capture are not written over, and what cannot be written is an error.
sum=$(cat "$capture"/* | sha256sum)
for words in 'decode --branches' 'decode --instructions' 'decode --merged' 'report --json'; do
    for file in cpu0.pt cpu7.pt checksums; do
        # shellcheck disable=SC2086 # two words
        set -- $words
        says "$words CAPTURE/$file" 1 "$file: is a file of the capture" $undertrace "$1" "$capture" "$2" "$capture/$file"
    done
    says "$words /dev/full" 1 '/dev/full: cannot be written' $undertrace "$1" "$capture" "$2" /dev/full
done
same 'the capture is as it was' "$(cat "$capture"/* | sha256sum)" "$sum"
to_full() {
    $undertrace "$@" >/dev/full
}
# Every command ends with one message that says why, and status 1; other output on standard error may precede it.
full_says() {
    local name=$1 log=$work/full.log status
    shift
    to_full "$@" 2>"$log"
    status=$?
    same "$name to a full device" "$status $(grep -c 'cannot be written' "$log") $(tail -n 1 "$log")" \
        '1 1 undertrace: standard output: cannot be written: No space left on device'
}
for command in info dump 'dump --no-pad' decode report 'decode --branches -' 'decode --instructions -' names trace 'trace --what branches' \
    'find 0' 'code -o -' "diff $capture" hardware 'page -o -' 'export --format folded -o -' 'export --format chrome -o -'; do
    # shellcheck disable=SC2086 # words
    set -- $command
    full_says "$command" "$1" "$capture" "${@:2}"
done
full_says doctor doctor
full_says kernel-options kernel-options build/guest/vmlinuz
full_says verify verify "$capture" "$work/branches/truth.bin"
full_says --version --version
full_says --help --help
for command in $($undertrace --complete); do
    full_says "$command --help" "$command" --help
done

# What dump prints, dump takes.
at=$($undertrace dump "$capture" | awk '$2 == "psb" { n++ } n == 2 { print $1; exit }')
same 'dump --offset from an offset as dump prints it' "$($undertrace dump "$capture" --offset "$at-" | head -n 1)" "$at  psb"

# A gap is a line, and the packets after it are those of the whole trace.
end=$(stat -c %s "$line")
{
    head -c $((end / 2)) "$line"
    tail -c +$((end / 2 + 3000)) "$line"
} >"$work/lost.bin"
receive "$work/lost.bin" lost 2>/dev/null
$undertrace dump "$work/lost" >"$work/lost.dump"
same 'dump: a gap is one line' "$(grep -c ': gap of [0-9]* bytes\]$' "$work/lost.dump")" \
    "$($undertrace info --json "$work/lost" | jq '.gaps | length')"
at_most 'dump: packets after it are printed' 1000 "$(wc -l <"$work/lost.dump")"
same 'dump: nothing is printed that is not in the whole trace' \
    "$(grep -v gap "$work/lost.dump" | sort | comm -23 - <($undertrace dump "$capture" | sort) | wc -l)" 0
done_testing
