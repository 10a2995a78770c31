#!/bin/bash
# Resume: a receiver that was killed is started again on the same directory, and continues where the capture ends.
. tests/system/lib.sh
. tests/rig/boot_lib.sh

printf '%s\n' 404142434445464748494a4b4c4d4e4f >"$work/key"
mkdir "$work/sent"

# A machine on real sockets whose stream is always the same; the receiver is killed so many times.
# sent NAME SEED KILLS WORDS...: what the receivers say is in $work/NAME.log.
sent() {
    local name=$1 seed=$2 kills=$3 port
    shift 3
    port=$(free_port)
    python3 tests/tools/wire_resume.py "$seed" "$kills" "$port" "$work/sent" \
        build/undertrace receive --udp "$port" --bind 127.0.0.1 --quiet -o "$work/$name" "$@" >"$work/$name.log" 2>&1 ||
        { cat "$work/$name.log"; return 1; }
}
# alike NAME: its files are those of the reception that was not interrupted.
alike() {
    local file
    for file in events.bin index cpu0.pt meta.json; do
        check "$1: $file is as if the receiver had not been killed" cmp "$work/whole/$file" "$work/$1/$file"
    done
    same "$1: nothing is damaged" "$(build/undertrace info --json "$work/$1" | jq -c '[.ended, .damage, .without_checksum]')" '[true,[],[]]'
    same "$1: there are no other files" "$(cd "$work/$1" && echo *)" 'checksums cpu0.pt events.bin index meta.json'
}
check 'a receiver that is not killed' sent whole 1 0
for seed in 2 3; do
    check "a receiver that is killed 12 times ($seed)" sent "killed$seed" $seed 12
    alike "killed$seed"
done
KEY=1 check 'with a key' sent keyed 4 12 --key "$work/key"
alike keyed
same 'each reception was resumed' \
    "$(grep -l 'resuming stream 0000600d' "$work"/*.log | wc -l)" 3

# The hypervisor, with all that it holds while no receiver is there.
RECEIVER=tests/tools/killed_receiver.sh KILL_AT='200000 900000 2000000' RECEIVE="--key $work/key" WIRE='drop=3 reorder=3 seed=9' \
    check 'a boot with compressed frames whose receiver is killed three times' \
    boot_guest boot load 'channel=net net.compress=lz4 key=404142434445464748494a4b4c4d4e4f'
exact 'decoded branches equal the truth' boot
same 'it was killed and was resumed' "$(grep -c '^killed at' "$work/boot/receive.log") $(grep -c 'resuming stream' "$work/boot/receive.log")" '3 3'
# --follow: one capture for each boot.
follows() {
    local name=$1 port
    shift
    port=$(free_port)
    build/undertrace receive --follow --udp "$port" --bind 127.0.0.1 --quiet -o "$work/$name" "$@" 2>"$work/$name.log" &
    local receiver=$!
    until udp_port_is_open "$port" || ! kill -0 $receiver 2>/dev/null; do sleep 0.05; done
    python3 tests/tools/wire.py boots "$port" "$work/sent" || return 1
    until grep -q "$name/3: complete" "$work/$name.log"; do sleep 0.05; done
    kill -INT $receiver
    wait $receiver
    echo "status $?"
    (cd "$work/$name" && stat -c '%n %s' ./*/cpu0.pt)
    for capture in 1 2 3; do
        build/undertrace info --json "$work/$name/$capture" | jq -c '[.ended, .damage]'
    done
    ls "$work/$name"
}
for key in '' "$work/key"; do
    same "--follow: three boots, the second of which was reset${key:+, with a key}" \
        "$(KEY=$key; [ -z "$key" ] || export KEY; follows "boots${key:+-keyed}" ${key:+--key "$key"} 2>&1 | paste -sd ' ')" \
        'status 2 ./1/cpu0.pt 50001 ./2/cpu0.pt 20000 ./3/cpu0.pt 50003 [true,[]] [false,[]] [true,[]] 1 2 3'
done
done_testing
