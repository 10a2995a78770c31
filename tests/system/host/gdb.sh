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
    printf 'set $n = 0\nwhile $n < %d\n printf "at %%lx\\n", $pc\n %s\n set $n = $n + 1\nend\n' "$2" "$1" >"$work/$1.gdb"
    echo "source $work/$1.gdb"
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

# Frames: the script shows gdb the call stacks of the trace. `in_gdb ELF CAPTURE 'OPTIONS' FILE COMMAND...`: what gdb prints
# that runs the Python file, which has the frames' functions and more.
$tool gdb --script >"$work/script.gdb"
for guest in branches smp; do
    objcopy --strip-debug build/guests/$guest.elf "$work/$guest.elf" # inlined functions are not called
    nm build/guests/$guest.elf >"$work/$guest.map"
done
cat >"$work/frames.py" <<'END'
import gdb

def run(command):
    return gdb.execute(command, to_string=True)

def functions():
    frame, names = gdb.newest_frame(), []
    while frame:
        names.append(frame.name() or "?")
        frame = frame.older()
    return names

def pc():
    return int(gdb.newest_frame().pc())

def time():
    return run("monitor time").split()[3]
END
in_gdb() {
    local elf=$1 capture=$2 options=$3
    cat "$work/frames.py" - >"$work/commands.py"
    gdb -nx -batch -iex 'set pagination off' -iex 'set confirm off' -x "$work/script.gdb" "$elf" \
        -ex "target remote | $tool gdb $capture $options" -ex "source $work/commands.py" 2>"$work/gdb.errors"
}
# address GUEST FUNCTION
address() { awk -v wanted="$2" '$3 == wanted { sub(/^0*/, "", $1); print $1 }' "$work/$1.map"; }
# listed GUEST CAPTURE FUNCTION [OPTION]...: the callers at each call of a function, from the function on, as trace lists them.
listed() {
    local map=$work/$1.map capture=$2 function=$3
    shift 3
    $tool trace "$capture" --symbols "$map" --remembered ignore "$@" 2>/dev/null | awk -v wanted="$function" '
        { sub(/^ *[0-9.]+ [0-9]+ +[-0-9a-fx]+ /, ""); depth = match($0, /[^ ]/); path[depth] = $1 }
        $1 == wanted { line = $1; for (d = depth - 2; d > 0; d -= 2) line = line " " path[d]; print line }'
}

in_gdb "$work/branches.elf" "$capture" '' <<'END' | grep '^at ' >"$work/callers"
gdb.Breakpoint("fibonacci")
for hit in range(100):
    run("continue")
    print("at", *functions())
END
# start32 jumps to start64, which takes its frame.
check 'backtrace: the callers at each of 100 calls are those that trace lists' \
    cmp <(sed 's/^at //' "$work/callers") <(listed branches "$capture" fibonacci | sed 's/ start32$//' | head -n 100)

# Each call of fibonacci, where it returns, and how many calls it makes, from its branches.
$tool trace "$capture" --what branches 2>/dev/null | awk -v begin="$fibonacci" '
    function short(a) { sub(/^0*/, "", a); return a }
    $4 == "call" { depth++; is[depth] = short($7) == begin; if (is[depth]) { open[depth] = ++calls } }
    $4 == "ret" { if (is[depth]) returns[open[depth]] = short($7) " " calls - open[depth]; is[depth] = 0; depth-- }
    END { for (call = 1; call <= calls; call++) print returns[call] }' >"$work/returns"
in_gdb "$work/branches.elf" "$capture" '' <<'END' >"$work/finished"
at = gdb.Breakpoint("fibonacci")
for hit in range(40):
    run("continue")
    depth, begin = len(functions()), pc()
    at.enabled = False
    run("stepi 2")
    run("reverse-finish")
    call = pc()
    assert len(functions()) == depth - 1, "reverse-finish"
    run("stepi")
    assert (pc(), len(functions())) == (begin, depth), "stepi"
    called, at.ignore_count, at.enabled = at.hit_count, 1000000, True
    run("finish")
    print("at %x %d" % (pc(), at.hit_count - called))
    assert len(functions()) == depth - 1, "finish"
    at.enabled = False
    run("reverse-nexti")
    assert pc() == call, "reverse-nexti"
    run("stepi")
    at.ignore_count, at.enabled = 0, True
print("all have come back")
END
check 'finish: to where each call returns, past all that it calls' \
    cmp <(awk '$1 == "at" { print $2, $3 }' "$work/finished") <(head -n 40 "$work/returns")
same 'reverse-finish: to before the same call' "$(grep -c '^all have come back' "$work/finished")" 1

# A recursive call passes the address after the call many times before it returns.
call=$(objdump -d --no-show-raw-insn build/guests/branches.elf | awk '/<fibonacci>:/,/ret/' | awk '$2 == "call" { sub(/:/, "", $1); print $1; exit }')
in_gdb "$work/branches.elf" "$capture" '' <<END >"$work/recursion"
at = gdb.Breakpoint("*0x$call")
for hit in range(12):
    at.enabled = True
    run("continue")
    at.enabled = False
    frames = functions()
    run("nexti")
    assert (pc(), functions()) == (0x$call + 5, frames), "nexti"
    run("reverse-nexti")
    assert (pc(), functions()) == (0x$call, frames), "reverse-nexti"
print("all returned to their own frames")
END
same 'nexti and reverse-nexti over a recursive call stay in the frame' "$(grep -c '^all returned to their own' "$work/recursion")" 1

# Source lines. The lines with timer interrupts are passed with all handlers, which count as calls do.
line() { grep -n "$1" tests/guests/branches.c | cut -d : -f 1 | head -n 1; }
first=$(line 'expect("branches: fibonacci"') waits=$(line 'while (ticks < 50)')
in_gdb build/guests/branches.elf "$capture" '' <<END >"$work/lines"
def line():
    return gdb.newest_frame().find_sal().line
calls = gdb.Breakpoint("*0x$fibonacci")
calls.ignore_count = 1000000
run("tbreak branches.c:$first")
run("continue")
run("next")
print("next", line(), calls.hit_count)
while line() >= $first:
    run("reverse-next")
print("reverse-next", line() < $first, calls.hit_count)
calls.enabled = False
run("tbreak branches.c:$waits")
run("continue")
ticks = gdb.Breakpoint("on_timer")
ticks.ignore_count = 1000000
run("next")
print("interrupts", line(), ticks.hit_count)
print("after %x" % pc())
run("up")
print("up", gdb.selected_frame().name())
END
same 'next and reverse-next pass as many calls as trace lists' "$(grep next "$work/lines" | paste -sd ' ')" \
    "next $((first + 1)) $calls reverse-next True $((2 * calls))"
after=$(awk '$1 == "after" { print $2 }' "$work/lines")
same 'next passes interrupts, whose handlers are hit as often as trace lists' "$(awk '$1 == "interrupts" { print ($2 > '"$waits"'), $3 }' "$work/lines")" \
    "1 $(awk -v handler="$(address branches on_timer)" '$0 == handler { count++ } $0 == "'"$after"'" { print count + 0; exit }' "$work/instructions")"

# Single instructions with `monitor interrupts pass`: what trace lists but for the handlers, also those that follow one
# another. At a moment, CPU 1 of smp.c sends interrupts to itself.
begins=$(address smp on_interrupt) begins_nmi=$(address smp on_nmi)
objdump -d --no-show-raw-insn build/guests/smp.elf | awk '$2 ~ /^iret/ { sub(/:/, "", $1); print $1 }' >"$work/irets"
at=$($tool trace "$work/smp/capture" --symbols "$work/smp.map" --remembered ignore --cpu 1 --function send_all --depth 0 2>/dev/null |
    awk '{ print $1; exit }')
$tool trace "$work/smp/capture" --what instructions --cpu 1 --time "-$at" 2>/dev/null | wc -l >"$work/before"
$tool trace "$work/smp/capture" --what instructions --cpu 1 2>/dev/null | tail -n "+$(cat "$work/before")" | awk '{ print $4 }' | sed 's/^0*//' |
    awk -v a="$begins" -v b="$begins_nmi" 'NR == FNR { iret[$1]; next } $1 == a || $1 == b { depth++; handlers++ }
        !depth { print; if (++count == 600) { print handlers >"/dev/stderr"; exit } } depth && ($1 in iret) { depth-- }' "$work/irets" - \
        >"$work/wanted" 2>"$work/handlers"
gdb_on "$work/smp/capture" "--time $at --cpu 1" 'monitor interrupts pass' "$(steps stepi 599)" 'printf "at %lx\n", $pc' \
    "$(steps reverse-stepi 599)" 'printf "at %lx\n", $pc' | awk '$1 == "at" { print $2 }' >"$work/stepped"
check 'stepi and reverse-stepi pass interrupts after monitor interrupts pass' cmp "$work/stepped" <(cat "$work/wanted"; tac "$work/wanted")
same 'there were some' "$(($(cat "$work/handlers") > 5))" 1

# Each CPU has its own frames; without names of functions, too.
in_gdb "$work/smp.elf" "$work/smp/capture" "--time $at --cpu 1" <<'END' | grep '^at ' >"$work/callers"
gdb.Breakpoint("interrupt_end")
for hit in range(20):
    run("continue")
    print("at", *functions())
END
check 'the callers on the other CPU' cmp <(sed 's/^at //; s/ ?$//' "$work/callers") \
    <(listed smp "$work/smp/capture" interrupt_end --cpu 1 | sed 's/ 0x[0-9a-f]*$//' | head -n 20)

in_gdb "$work/smp.elf" "$work/smp/capture" '--cpu 0' <<'END' | grep '^at ' >"$work/callers"
gdb.Breakpoint("work")
for hit in range(2):
    run("continue")
    print("at", *functions())
END
check 'the callers on the first CPU' cmp <(sed 's/^at //' "$work/callers") <(listed smp "$work/smp/capture" work --cpu 0 | sed 's/ start32$//' | head -n 2)

# What undertrace stack says, at moments in long calls: frames that were left by a jump are not in gdb's list.
stacked() {
    $tool stack "$work/smp/capture" --time "$1" --symbols "$work/smp.map" --remembered ignore | awk -v wanted="$2" '
        $1 == "CPU" { inside = $2 == wanted; skip = 0 }
        inside && /^  #/ { if (!skip) print $2 ~ /^0x/ ? "?" : $2; skip = $3 == "jump" }'
}
for cpu in 0 1; do
    moment=$($tool trace "$work/smp/capture" --symbols "$work/smp.map" --remembered ignore --cpu $cpu --function send_all --depth 0 2>/dev/null |
        awk '{ printf "%.9f", $1 - 0.001; exit }')
    in_gdb "$work/smp.elf" "$work/smp/capture" "--cpu $cpu --time $moment --symbols $work/smp.map --remembered ignore" <<'END' | sed -n 's/^at //p' >"$work/callers"
for name in functions():
    print("at", name)
END
    check "backtrace is what stack lists for CPU $cpu at $moment" cmp "$work/callers" <(stacked "$moment" $cpu)
done

# Interrupts return at the times at which trace says that they do.
in_gdb "$work/branches.elf" "$capture" '' <<'END' | sed -n 's/^at //p' >"$work/times"
at = gdb.Breakpoint("on_timer")
for hit in range(20):
    run("continue")
    run("finish")
    print("at", time())
END
check 'finish: at the time at which trace says that the function has returned' cmp "$work/times" \
    <($tool trace "$capture" --symbols "$work/branches.map" --remembered ignore --function on_timer --depth 0 --returns 2>/dev/null |
        awk '$4 == "}" { print $1 }' | head -n 20)

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
