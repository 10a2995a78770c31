#!/bin/bash
# undertrace gdb, driven by gdb: what it steps through is what trace lists, forwards and backwards.
. tests/system/lib.sh

tool=build/undertrace
check 'the guest boots' boot_guest one branches 'channel=e1000 net.mtu=9000'
CPUS=2 check 'a guest on two CPUs' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
capture=$work/one/capture
$tool trace "$capture" --what instructions 2>/dev/null | awk '{ print $4 }' | sed 's/^0*//' >"$work/instructions"
fibonacci=$(nm build/guests/branches.elf | awk '$3 == "fibonacci" { sub(/^0*/, "", $1); print $1 }')

# gdb_on CAPTURE 'OPTIONS' COMMAND...: what gdb prints.
gdb_on() {
    local words=(-ex 'set pagination off' -ex 'set confirm off' -ex "target remote | $tool gdb $1 $2") command
    shift 2
    for command in "$@"; do words+=(-ex "$command"); done
    gdb -nx -batch "${words[@]}" 2>&1
}
# steps COMMAND COUNT: gdb's commands that print the address before each of so many steps.
steps() {
    printf 'set $n = 0\nwhile $n < %d\n printf "at %%lx\\n", $pc\n %s\n set $n = $n + 1\nend\n' "$2" "$1" >"$work/steps.gdb"
    echo "source $work/steps.gdb"
}

gdb_on "$capture" '' "$(steps stepi 400)" | awk '$1 == "at" { print $2 }' >"$work/stepped"
check 'stepi: 400 instructions are the first that trace lists' cmp "$work/stepped" <(head -n 400 "$work/instructions")
gdb_on "$capture" '--time 0.03' "$(steps reverse-stepi 400)" | awk '$1 == "at" { print $2 }' >"$work/stepped"
$tool trace "$capture" --what instructions --time -0.03 2>/dev/null | awk '{ print $4 }' | sed 's/^0*//' | tail -n 400 | tac >"$work/wanted"
check 'reverse-stepi: from a moment, 400 instructions that came before it' cmp "$work/stepped" "$work/wanted"

# Breakpoints: as often as the list has the instruction, in both directions; and the ends of the trace are there.
gdb_on "$capture" '' "break *0x$fibonacci" 'ignore 1 1000000' continue 'printf "at %lx\n", $pc' 'info breakpoints' \
    reverse-continue 'printf "at %lx\n", $pc' 'info breakpoints' >"$work/breaks"
calls=$(grep -cx "$fibonacci" "$work/instructions")
same 'breakpoints are hit as often as the instruction was executed, and again on the way back' \
    "$(grep -o 'already hit [0-9]*' "$work/breaks" | awk '{ print $3 }' | paste -sd ' ')" "$calls $((2 * calls))"
same 'continue ends at the last instruction, reverse-continue at the first' "$(awk '$1 == "at" { print $2 }' "$work/breaks" | paste -sd ' ')" \
    "$(tail -n 1 "$work/instructions") $(head -n 1 "$work/instructions")"
same 'both ends are said' "$(grep -c 'No more reverse-execution history' "$work/breaks")" 2

# Memory and registers.
gdb_on "$capture" '' "dump binary memory $work/code 0x$fibonacci 0x$fibonacci+16" 'info registers rax' 'print $rip' 'x/1xb 0x12345678000' >"$work/values"
objcopy -O binary --only-section=.text build/guests/branches.elf "$work/text"
text=$((0x$(objdump -h build/guests/branches.elf | awk '$2 == ".text" { print $4 }')))
check 'memory is the code of the guest' cmp "$work/code" <(tail -c +$((0x$fibonacci - text + 1)) "$work/text" | head -c 16)
same 'a register that the trace does not have is unavailable' "$(grep -c 'rax .*<unavailable>' "$work/values")" 1
same 'so is memory that was not captured' "$(grep -c 'Cannot access memory' "$work/values")" 1
same 'gdb has functions, source and time' \
    "$(gdb -nx -batch build/guests/branches.elf -ex "target remote | $tool gdb $capture" -ex 'break fibonacci' -ex continue -ex 'monitor time' 2>&1 |
        grep -cE '^Breakpoint 1, fibonacci \(|^CPU 0 at [0-9.]+ s$')" 2

# CPUs are threads.
at=$($tool trace "$work/smp/capture" --what instructions --cpu 1 2>/dev/null | awk '{ t[NR] = $1 } END { print t[int(NR / 2)] }')
gdb_on "$work/smp/capture" "--time $at --cpu 1" 'info threads' 'thread 2' "$(steps stepi 200)" 'info threads' >"$work/threads"
same 'two CPUs are two threads' "$(grep -cE 'Thread [12] \(CPU [01] at ' "$work/threads")" 4
$tool trace "$work/smp/capture" --what instructions --cpu 1 --time "-$at" 2>/dev/null | wc -l >"$work/before"
$tool trace "$work/smp/capture" --what instructions --cpu 1 2>/dev/null | tail -n "+$(cat "$work/before")" | head -n 200 |
    awk '{ print $4 }' | sed 's/^0*//' >"$work/wanted"
awk '$1 == "at" { print $2 }' "$work/threads" >"$work/stepped"
check 'one of them steps through its own instructions' cmp "$work/stepped" "$work/wanted"
same 'and the other stays' "$(grep -o 'CPU 0 at [0-9.]*' "$work/threads" | sort -u | wc -l)" 1

# TCP, at a free port.
$tool gdb "$capture" --port 0 2>"$work/port.log" &
server=$!
until grep -q 'waiting at' "$work/port.log" || ! kill -0 $server 2>/dev/null; do sleep 0.1; done
address=$(sed -n 's/.*waiting at //p' "$work/port.log")
same 'over TCP' "$(gdb -nx -batch -ex "target remote $address" -ex stepi -ex 'printf "at %lx\n", $pc' 2>&1 | awk '$1 == "at" { print $2 }')" \
    "$(sed -n 2p "$work/instructions")"
wait $server
same 'and the command ends with the session' $? 0
$tool gdb "$capture" --time soon >"$work/none" 2>&1 </dev/null
same 'a word is no time' "$? $(grep -c "'soon' is not a time" "$work/none")" '1 1'
done_testing
