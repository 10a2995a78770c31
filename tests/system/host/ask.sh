#!/bin/bash
# Asking a capture: find, trace, code and diff, compared with the lists of decode, counted by awk, and with the guest's own
# file.
#
# usage: ask.sh      (boots micro-guests)
. tests/system/lib.sh

tool=build/undertrace
check 'the guest boots' boot_guest one branches 'channel=e1000 net.mtu=9000'
check 'and once more' boot_guest two branches 'channel=e1000 net.mtu=9000'
check 'and another guest' boot_guest other load 'channel=e1000 net.mtu=9000'
capture=$work/one/capture
names=(--files build/guests/branches.elf)
$tool decode "$capture" --branches "$work/branches" --instructions "$work/instructions" >/dev/null 2>&1
nm build/guests/branches.elf | sort >"$work/symbols"

# address_of FUNCTION
address_of() {
    awk -v name="$1" '$3 == name { print $1 }' "$work/symbols"
}

# --- find: each instruction as often as the list of instructions has it -----------------------------------------------
# agrees NAME BOOT: of all CPUs together. Leaves $work/counts.
agrees() {
    local capture=$work/$2/capture cpu
    for ((cpu = 0; cpu < $(info "$2" '.streams | length'); cpu++)); do
        $tool decode "$capture" --cpu $cpu --instructions - 2>/dev/null
    done | sort | uniq -c | awk '{ print $2, $1 }' >"$work/counts"
    cut -d ' ' -f 1 "$work/counts" | xargs -n 100 $tool find "$capture" --json 2>"$work/found.log" >"$work/found.json"
    jq -r '[.begin, .executed] | @tsv' "$work/found.json" | awk '{ a = substr($1, 3); while (length(a) < 16) a = "0" a; print a, $2 }' >"$work/found"
    check "$1: find counts each of $(wc -l <"$work/counts") instructions as the list does" cmp "$work/found" "$work/counts"
}

CPUS=2 check 'a guest on two CPUs' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
check 'one of which a part is traced' boot_guest range branches 'channel=e1000 net.mtu=9000 pt.range0=filter:0x10001a0-0x10003ff'
agrees 'two CPUs' smp
cp "$work/found.json" "$work/found.json.smp"
agrees 'a range' range
agrees 'one CPU' one
cp "$work/counts" "$work/counts.one"
check 'the index is in the capture' test -s "$capture/index.executed"
fibonacci=$(address_of fibonacci)
same 'find: a function by its name, as often as its first instruction' \
    "$($tool find "$capture" "${names[@]}" --json fibonacci | jq -r '"\(.begin) \(.executed)"')" \
    "0x$(sed 's/^0*//' <<<"$fibonacci") $(awk -v a="$fibonacci" '$1 == a { print $2 }' "$work/counts")"
same 'find: a page from its first to its last time' \
    "$($tool find "$capture" --json "page:$fibonacci" | jq '.first.seconds <= .last.seconds and .last.offset > 0 and .runs > 0')" true
$tool find "$capture" fff123 >"$work/never"
same 'what was never executed is said, status 2' "$? $(grep -c never "$work/never")" '2 1'
$tool find "$capture" $((0x10001a1)) >/dev/null 2>&1
same 'an address within an instruction is none' "$(printf '%x' $((0x$fibonacci + 1)) | xargs $tool find "$capture" | grep -c never)" 1

# A function that never ran, an unknown name, and no names at all are three answers.
$tool find "$capture" "${names[@]}" machine_reset_cf9 >"$work/never" 2>"$work/never.log"
same 'find: a function that exists never ran, status 2' "$? $(tr '\n' ' ' <"$work/never")$(grep -c function "$work/never.log")" '2 machine_reset_cf9   never 0'
$tool find "$capture" "${names[@]}" fibonaci >"$work/never" 2>"$work/never.log"
same 'find: an unknown name is an error, and similar ones are suggested' \
    "$? $(wc -l <"$work/never") $(grep -c 'find: fibonaci: .* has such a function; did you mean fibonacci?$' "$work/never.log")" '1 0 1'
$tool find "$capture" --remembered ignore fibonacci >"$work/never" 2>"$work/never.log"
same 'find: without names it says so' "$? $(wc -l <"$work/never") $(grep -c 'find: fibonacci: there are no names' "$work/never.log")" '1 0 1'
$tool trace "$capture" "${names[@]}" --function fibonaci >"$work/never" 2>&1
same 'trace: the same of its filters' "$? $(grep -c 'trace: --function fibonaci: .*; did you mean fibonacci?$' "$work/never")" '1 1'

# The time of the first is the time of the first line of trace.
for name in fibonacci on_timer user_entry; do
    same "find: $name is entered first when trace has it" \
        "$($tool find "$capture" "${names[@]}" --json "$(address_of $name)" | jq -r .first.seconds)" \
        "$($tool trace "$capture" "${names[@]}" --what branches | awk -v to="-> $(address_of $name)" 'index($0, to) { print $1; exit }' | jq .)" # as jq writes numbers
done

# --- trace ----------------------------------------------------------------------------------------------------------------
$tool trace "$capture" --remembered ignore --what branches | sed 's/.* \([0-9a-f]\{16\}\) -> \([0-9a-f]\{16\}\)$/\1 \2/' >"$work/traced"
check 'trace: all branches are those of decode' cmp "$work/traced" "$work/branches"
$tool trace "$capture" --what instructions | awk '{ print $4 }' >"$work/traced"
check 'trace: all instructions are those of decode' cmp "$work/traced" "$work/instructions"
end=$(printf '%016x' $((0x$fibonacci + 0x46)))
$tool trace "$capture" --what instructions --address "$fibonacci-$end" | awk '{ print $4 }' >"$work/traced"
awk -v a="$fibonacci" -v b="$end" '$1 "" >= a "" && $1 "" < b ""' "$work/instructions" >"$work/wanted"
check "trace: $(wc -l <"$work/wanted") instructions at addresses" cmp "$work/traced" "$work/wanted"
$tool trace "$capture" --remembered ignore --what branches --address "$fibonacci" | sed 's/.* \([0-9a-f]\{16\}\) -> \([0-9a-f]\{16\}\)$/\1 \2/' >"$work/traced"
awk -v a="$fibonacci" '$1 == a || $2 == a' "$work/branches" >"$work/wanted"
check "trace: $(wc -l <"$work/wanted") branches from or to an address" cmp "$work/traced" "$work/wanted"

# Two CPUs: one list by time, in which each has its branches in their order.
$tool trace "$work/smp/capture" --remembered ignore --what branches >"$work/merged"
check 'trace: two CPUs come in the order of time' sort -c -s -n -k 1,1 "$work/merged"
for cpu in 0 1; do
    awk -v cpu=$cpu '$2 == cpu' "$work/merged" | sed 's/.* \([0-9a-f]\{16\}\) -> \([0-9a-f]\{16\}\)$/\1 \2/' >"$work/traced"
    check "trace: CPU $cpu has its $(wc -l <"$work/traced") branches among them" \
        cmp "$work/traced" <($tool decode "$work/smp/capture" --cpu $cpu --branches - 2>/dev/null)
done
same 'trace: functions of two CPUs, by time and not deeper than in each one'"'"'s own list' "$($tool trace "$work/smp/capture" --files build/guests/smp.elf | sort -s -n -k 2,2 | md5sum)" \
    "$(for cpu in 0 1; do $tool trace "$work/smp/capture" --files build/guests/smp.elf --cpu $cpu; done | md5sum)"
same 'trace: the first lines of two CPUs' "$($tool trace "$work/smp/capture" --remembered ignore --what branches --lines 1000 | md5sum)" "$(head -n 1000 "$work/merged" | md5sum)"

$tool trace "$capture" "${names[@]}" --function fibonacci >"$work/functions"
same 'trace: a function with all that it calls' "$(grep -c ' fibonacci ' "$work/functions")" \
    "$(awk -v a="$fibonacci" '$2 == a' "$work/branches" | wc -l)"
rets=$(objdump -d build/guests/branches.elf | awk '/<fibonacci>:$/ { on = 1 } /^$/ { on = 0 } on && /\tret/ { sub(":", "", $1); printf "000000000%s ", $1 }')
same 'trace: its depth is the depth of the recursion' \
    "$(awk '{ match($0, /- +fibonacci/); if (RLENGTH > most) most = RLENGTH } END { print (most - 11) / 2 }' "$work/functions")" \
    "$(awk -v a="$fibonacci" -v rets="$rets" '$2 == a && ++depth > most { most = depth } index(rets, $1) { depth-- }
        END { print most - 1 }' "$work/branches")"
same 'trace: --depth 0 is only the function' "$($tool trace "$capture" "${names[@]}" --function fibonacci --depth 0 | wc -l)" 1
same 'trace: what begins at one function ends at another' \
    "$($tool trace "$capture" "${names[@]}" --from machine_start --to fibonacci | sed -n '1p;$p' | awk '{ print $4 }' | tr '\n' ' ')" \
    'machine_start fibonacci '
same 'trace: a system call, from its entry to its return' \
    "$($tool trace "$capture" "${names[@]}" --what branches --function syscall_entry --lines 5 | awk '{ print $4 }' | tr '\n' ' ')" \
    'syscall cond call ret sysret '
first=$($tool trace "$capture" --what branches --lines 1 | awk '{ print $1 }')
last=$($tool trace "$capture" --what branches | awk 'END { print $1 }')
middle=$(awk -v a="$first" -v b="$last" 'BEGIN { printf "%.9f", (a + b) / 2 }')
$tool trace "$capture" --what branches >"$work/all"
awk -v from="$middle" '$1 >= from' "$work/all" >"$work/wanted"
$tool trace "$capture" --what branches --time "$middle-" >"$work/traced"
check "trace: $(wc -l <"$work/wanted") branches of the second half of the time" cmp "$work/traced" "$work/wanted"
same 'a pipe that is closed is no error to talk about' "$($tool trace "$capture" --what branches 2>&1 >/dev/null | head -n 1)" ''
$tool trace "$capture" --what branches 2>"$work/pipe.log" | head -n 1 >/dev/null
check 'and nothing is said' test ! -s "$work/pipe.log"
same 'no colour but on a terminal' "$($tool trace "$capture" --lines 3 | grep -c $'\033')" 0
same 'colour where it is wanted' "$($tool trace "$capture" --lines 3 --color always | grep -c $'\033')" 3
$tool trace "$capture" --time 99999- >"$work/none" 2>&1
same 'a time after the trace is an error that says where the trace ends' "$? $(grep -c 'the trace ends at [0-9.]*$' "$work/none")" '1 1'
for word in 5-1 page:zz 12xy; do
    $tool find "$capture" "$word" >"$work/none" 2>&1
    same "find: $word is no address" "$? $(grep -c 'is not a hexadecimal ADDRESS' "$work/none")" '1 1'
done
$tool trace "$capture" "${names[@]}" --function machine_reset_cf9 >"$work/none" 2>&1
same 'a function that did not run is said' "$? $(grep -c 'never executed' "$work/none")" '1 1'

# --- trace --process: only what has something of it is decoded ---------------------------------------------------------
# Two processes, whose two spaces each come and go; after them the last part of the trace again and again.
check 'a guest of two processes' boot_guest spaces spaces 'channel=e1000 net.mtu=9000 pt.psb=2K'
cp -r "$work/spaces/capture" "$work/process"
rm -f "$work/process/checksums" "$work/process/control"
build/tools/trace_repeat "$work/spaces/capture/cpu0.pt" "$work/process/cpu0.pt" 600000 100 >"$work/repeated"
space=$(printf '%x' $((0x$(nm build/guests/spaces.elf | awk '$3 == "space_b" { print $1 }') + 0x1000))) # as user mode has it
# listed WORDS...: how many lines, and of these of that space; by the index that is there.
listed() {
    $tool trace "$work/process" "$@" 2>/dev/null | awk -v space="0x$space" '{ n++; own += $3 == space } END { print n + 0, own + 0 }'
}
read -r all own < <(listed --what branches)
same "trace: $own of $all branches are a process's" "$(listed --what branches --process "$space")" "$own $own"
same 'trace: instructions' "$(listed --what instructions --process "$space")" "$(listed --what instructions | awk '{ print $2, $2 }')"
# A part in which it runs, although it did not when the index was made: the next command that decodes there lists it again.
psb() {
    $tool dump "$work/process" --offset "$1-" 2>/dev/null | awk '$2 == "psb" { print $1; exit }'
}
from=$((0x$(psb "$($tool find "$work/process" --process "$space" --json 0-7fffffffffff 2>/dev/null | jq '.first.offset + 1')")))
to=$((0x$(psb 400000)))
dd if="$work/spaces/capture/cpu0.pt" of="$work/process/cpu0.pt" bs=1 skip=$from seek=$to count=2000 conv=notrunc status=none
same 'trace: parts in which a process did not run are not decoded for it' \
    "$(listed --what branches --process "$space")" "$own $own"
same 'trace: they are without --process' "$(listed --what branches | awk -v own="$own" '{ print ($2 > own) }')" 1
$tool trace "$work/process" --process fff000 >"$work/none" 2>&1
same 'a process that did not run is said' "$? $(grep -c 'executed anything' "$work/none")" '1 1'

# Zydis' lengths are those of the flow: the next address of a run of plain instructions.
$tool trace "$capture" --remembered ignore --what instructions --disassemble --lines 100000 >"$work/disassembled" 2>"$work/disassembled.log"
if [ -s "$work/disassembled" ]; then
    objdump -d build/guests/branches.elf | awk -F '\t' '/^ *10[0-9a-f]*:/ { sub(":", "", $1); sub(" ", "", $1); split($3, w, " "); print $1, w[1] }' |
        sed 's/ *\([0-9a-f]*\)  *\(push\|ret\|pop\)q*$/\1 \2/' | grep -E ' (push|pop|ret)$' | sort -u >"$work/wanted"
    awk '{ a = $4; sub("^0*", "", a); if ($5 == "push" || $5 == "pop" || $5 == "ret") print a, $5 }' "$work/disassembled" |
        sort -u | join - "$work/wanted" | awk '{ n++; if ($2 != $3) bad++ } END { print (n > 0), bad + 0 }' >"$work/agree"
    same 'trace: the disassembly is objdump'"'"'s' "$(cat "$work/agree")" '1 0'
else
    skip 'trace: the disassembly is objdump'"'"'s' "$(cat "$work/disassembled.log")"
fi

# --- lines of sources: addr2line's, which has the compiler's directory before them ---------------------------------------
# lines_agree NAME FILE: each instruction that was executed, as the ELF file has it.
lines_agree() {
    cut -d ' ' -f 1 "$work/counts.one" | xargs -n 200 $tool names "$capture" --files "$2" --srcline 2>"$work/lines.log" | awk '{ print $1, $NF }' >"$work/lines"
    cut -d ' ' -f 1 "$work/counts.one" | addr2line -e build/guests/branches.elf | sed 's/ (discriminator.*//' |
        paste -d ' ' <(cut -d ' ' -f 1 "$work/counts.one") - >"$work/lines.wanted"
    same "$1: lines of $(wc -l <"$work/lines") instructions" "$(paste -d ' ' "$work/lines" "$work/lines.wanted" |
        awk '{ n++; known += $2 != "??:0"; at = length($4) - length($2); if ($1 != $3 || substr($4, at + 1) != $2) bad++ }
        END { print (n > 100 && known > n / 2), bad + 0 }')" '1 0'
}
if $tool names "$capture" "$fibonacci" --files build/guests/branches.elf --srcline 2>&1 | grep -q 'built without libdw'; then
    skip 'lines of sources' 'libdw-dev was not there when undertrace was built'
else
    lines_agree 'DWARF in the file' build/guests/branches.elf
    mkdir -p "$work/split/.debug"
    objcopy --only-keep-debug build/guests/branches.elf "$work/split/.debug/branches.debug"
    objcopy --strip-debug build/guests/branches.elf "$work/split/branches.elf"
    same "a file without DWARF has none" "$($tool names "$capture" "$fibonacci" --files "$work/split/branches.elf" --srcline | awk "{ print \$NF }")" "??:0"
    (cd "$work/split" && objcopy --add-gnu-debuglink=.debug/branches.debug branches.elf)
    lines_agree 'DWARF in a debug file' "$work/split/branches.elf"
    line=$(addr2line -e build/guests/branches.elf "$fibonacci" | sed 's|.*/||')
    same 'trace: a function with its line' "$($tool trace "$capture" "${names[@]}" --srcline --function fibonacci --depth 0 | grep -c "/$line)\$")" 1
    same 'trace: branches with both lines' "$($tool trace "$capture" "${names[@]}" --srcline --what branches --function fibonacci --lines 2 |
        awk '{ n += gsub(/[(][^ ]*branches[.]c:[0-9]+[)]/, "") } END { print n }')" 4
    same 'find: a function with its line' "$($tool find "$capture" "${names[@]}" --srcline --json fibonacci | jq -r .source | sed 's|.*/||')" "$line"
fi

# --- the index is never stale ---------------------------------------------------------------------------------------------
cp -r "$capture" "$work/grown"
rm "$work/grown/index.executed"
truncate -s 40000 "$work/grown/cpu0.pt"
$tool find "$work/grown" --json "$fibonacci" >"$work/short" 2>/dev/null
cp "$capture/cpu0.pt" "$work/grown/cpu0.pt"
$tool find "$work/grown" --json "$(address_of machine_power_off)" >"$work/long" 2>/dev/null
same 'the index of a shorter trace is replaced' "$(jq -r .executed "$work/long")" 1
cp "$capture/index.executed" "$work/whole"
printf '\x55' | dd of="$work/grown/index.executed" bs=1 seek=500 conv=notrunc status=none
$tool find "$work/grown" --json "$fibonacci" 2>&1 | jq -r .executed >"$work/again"
same 'a damaged one, too' "$(cat "$work/again")" "$(awk -v a="$fibonacci" '$1 == a { print $2 }' "$work/counts")"
rm "$work/grown/index.executed"
$tool find "$work/grown" --no-index "$fibonacci" >/dev/null 2>&1
check 'without an index none is left' test ! -e "$work/grown/index.executed"
same 'an index is no damage' "$($tool info "$capture" --json | jq '.damage | length')" 0
$tool trace "$capture" -o "$capture/index.executed" >/dev/null 2>"$work/refused"
same 'and no list is written over it' "$? $(grep -c 'is a file of the capture' "$work/refused")" '1 1'

# --- code -----------------------------------------------------------------------------------------------------------------
$tool code "$capture" -o "$work/code.elf" "${names[@]}" >"$work/code.log"
text=$(objdump -h "$work/code.elf" | awk '$2 == ".text" { print $4; exit }')
objcopy -O binary -j .text "$work/code.elf" "$work/code.bin"
objcopy -O binary -j .text build/guests/branches.elf "$work/guest.bin"
check 'code: the bytes are those of the guest'"'"'s file' cmp -n "$(stat -c %s "$work/guest.bin")" "$work/code.bin" "$work/guest.bin"
same 'code: at its address' "$((0x$text <= 0x$fibonacci))" 1
same 'code: objdump finds the function' "$(objdump -d "$work/code.elf" | grep -c "^$fibonacci <fibonacci>:")" 1
# disassembled FILE: the instructions of fibonacci.
disassembled() {
    objdump -d "$1" | awk '/<fibonacci>:$/ { on = 1; next } /^$/ { on = 0 } on' | sed 's/ *<.*//' | grep -v 'nop'
}
check 'code: it is the guest'"'"'s' cmp <(disassembled "$work/code.elf") <(disassembled build/guests/branches.elf)
if command -v gdb >/dev/null; then
    same 'code: gdb reads it' "$(gdb -batch -nx -ex 'info address fibonacci' "$work/code.elf" 2>/dev/null | grep -c "0x$(sed 's/^0*//' <<<"$fibonacci")")" 1
else
    skip 'code: gdb reads it' 'there is no gdb'
fi
# Times are counted from where the first of all CPUs begins.
jq -r '.first, .last | "\(.cpu) \(.seconds) \(.offset)"' "$work/found.json.smp" | sort -u | awk '!seen[$1, $3]++' >"$work/moments"
while read -r cpu seconds offset; do
    echo "$cpu $offset $($tool code "$work/smp/capture" --cpu "$cpu" --time "$seconds" -o "$work/code.elf" | awk '/^trace offset/ { print $3 }')"
done <"$work/moments" >"$work/offsets"
same 'code: what a CPU had at a time' "$(awk '{ cpus[$1]++; bad += $2 != $3 } END { print (cpus[0] > 0 && cpus[1] > 0), bad + 0 }' "$work/offsets")" '1 0'
# Memory after the trace's end is unknown: the error says where the end is, and the end itself is a valid time.
code_at() { $tool code "$capture" -o "$work/code_at.elf" "$@" 2>&1; }
end=$(code_at --time 99999 | sed 's/.* //')
same 'code: a time after the end' "$(code_at --time 99999; echo $?)" \
    "undertrace: code: --time 99999: CPU 0's trace ends at $end"$'\n'1
same 'code: the end is the last branch'"'"'s' "$end" "$($tool trace "$capture" --what branches | awk 'END { print $1 }')"
check 'code: at the end there is code' code_at --time "$end"
bytes=$(stat -c %s "$capture/cpu0.pt")
same 'code: an offset after the end' "$(code_at --at $((bytes + 1)); echo $?)" \
    "undertrace: code: --at $((bytes + 1)): CPU 0's trace ends at offset $bytes"$'\n'1
check 'code: at the last offset there is code' code_at --at "$bytes"
check 'a guest that changes its code' boot_guest changes selfmod 'channel=e1000 net.mtu=9000'
# Each version of each page, as the records have them, is what code writes at that offset.
$tool code "$work/changes/capture" -o "$work/late.elf" >/dev/null
$tool code "$work/changes/capture" -o "$work/early.elf" --at 100 >/dev/null
objcopy -O binary "$work/late.elf" "$work/late.bin"
objcopy -O binary "$work/early.elf" "$work/early.bin"
check 'code: at another time it is another' test "$(cmp -s "$work/late.bin" "$work/early.bin"; echo $?)" = 1

# --- diff -----------------------------------------------------------------------------------------------------------------
$tool diff "$work/one/capture" "$work/two/capture" --branches "${names[@]}" >"$work/diff"
same 'diff: two boots of one image are the same' "$? $(awk '/^CPU 0/ { gsub(",", ""); print $5 }' "$work/diff")" \
    "0 $(wc -l <"$work/branches")"
$tool diff "$work/one/capture" "$work/other/capture" --branches --files build/guests/branches.elf --files build/guests/load.elf >"$work/diff"
same 'diff: another guest differs' "$?" 1
same 'diff: what was entered most is first' "$(awk '/^- .*entered/ { sub(/.*entered */, ""); gsub(",", ""); bad += was != "" && $1 > was; was = $1; n++ }
    END { print (n > 2), bad + 0 }' "$work/diff")" '1 0'
same 'diff: its functions are named' "$(grep -c '^- .*fibonacci' "$work/diff")" 1
$tool decode "$work/other/capture" --branches "$work/other.branches" >/dev/null 2>&1
same 'diff: the first difference is that of the lists' "$(awk '/^CPU 0/ { gsub(",", ""); print $5 }' "$work/diff")" \
    "$(($(cmp "$work/branches" "$work/other.branches" | awk '{ print $NF }') - 1))"
at=$(cmp "$work/branches" "$work/other.branches" | awk '{ print $NF }')
for side in - +; do
    list=$([ "$side" = - ] && echo "$work/branches" || echo "$work/other.branches")
    same "diff: and what each did then ($side)" "$(awk -v side="$side" '/^CPU 0/ { on = 1 } on && $1 == side { print $4; exit }' "$work/diff")" \
        "$(sed -n "${at}p" "$list" | cut -d ' ' -f 1)"
done

# What is the same from the start is not decoded: one that ends early.
cp -r "$capture" "$work/cut"
rm "$work/cut/index.executed"
truncate -s $(($(stat -c %s "$capture/cpu0.pt") * 9 / 10)) "$work/cut/cpu0.pt"
$tool decode "$work/cut" --branches "$work/cut.branches" >/dev/null 2>&1
$tool diff "$capture" "$work/cut" --branches >"$work/diff" 2>/dev/null
same 'diff: a trace that ends early is the same up to its end' "$? $(awk '/^CPU 0/ { gsub(",", ""); print $5 }' "$work/diff")" "2 $(wc -l <"$work/cut.branches")"
same 'diff: with what comes before' "$(grep -c '^  .* -> ' "$work/diff")" 8
same 'diff: and what comes then' "$(awk '$1 == "-" && /->/ { print $4; exit }' "$work/diff")" \
    "$(sed -n "$(($(wc -l <"$work/cut.branches") + 1))p" "$work/branches" | cut -d ' ' -f 1)"

# Tasks: interrupts come elsewhere, which is no difference; one driver more is one, although it moves what comes after it.
drivers() { boot "$1" build/guests/drivers.bzImage '' "${*:2}" 'channel=e1000 net.mtu=9000'; }
check 'a guest with drivers' drivers plain
check 'whose timer has another period' drivers later period=7000
check 'which has one driver more' drivers more more period=8000
compare() { $tool diff "$work/plain/capture" "$work/$1/capture" --files build/guests/drivers.elf --json >"$work/diff.json" 2>/dev/null; }
compare later
same 'diff: other interrupts make no difference' "$? $(jq -c '[.only_a, .only_b, (.tasks | map([.differs, .a.calls == .b.calls, .only]))]' "$work/diff.json")" \
    '0 [[],[],[[false,true,[]]]]'
same 'diff: and there were some' "$(jq -c '[.interrupts[] | .handler == "on_timer [drivers.elf]" and .a > 0 and .a != .b]' "$work/diff.json")" '[true]'
compare more
same 'diff: one driver more is one call more' \
    "$? $(jq -c '[(.only_b | map(.symbol)), (.tasks[0].only | map([.in, .function, .callee, .caller, .count]))]' "$work/diff.json" | sed 's/ \[drivers.elf\]//g')" \
    '1 [["more_init"],[["b","call_driver","more_init","call_drivers",1]]]'
same 'diff: and the first difference, with both stacks' "$(jq -c '.tasks[0].first_difference | [(.stack | map(.function)), .callee_a, .callee_b]' "$work/diff.json" |
    sed 's/ \[drivers.elf\]//g')" '[["start32","start64","guest_main","call_drivers"],"net_init","more_init"]'
same 'diff: with the calls that trace lists' "$(jq '.tasks[0].only[0].calls - 2' "$work/diff.json")" "$(grep -cE ' (more_init|allocate|grow_memory|wait_for_device) ' \
    <($tool trace "$work/more/capture" --function more_init 2>/dev/null))"
same 'diff: at the time and with the length that latency has' "$(jq '.tasks[0].only[0] | [.first, .seconds] | map(. * 1e9 | round)' -c "$work/diff.json")" \
    "$($tool latency "$work/more/capture" call_driver --json 2>/dev/null | jq -c '.functions[0].slowest | sort_by(.at)[1] | [.at, .elapsed]')"
$tool diff "$work/plain/capture" "$work/more/capture" >"$work/diff"
same 'diff: as text' "$? $(grep -c '^  +  *1  *11 .* call_driver .* > more_init .* in call_drivers' "$work/diff") $(grep -c '^  [-+].* s  *call_driver .* > ' "$work/diff")" '1 1 2'
same 'diff: --cpu goes with --branches' "$($tool diff "$capture" "$capture" --cpu 0 2>&1; echo $?)" \
    'undertrace: diff: --cpu requires --branches: tasks are compared on all CPUs'$'\n'2

# --- the pager, on a terminal only ---------------------------------------------------------------------------------------
# on_terminal PAGER WORDS...: what a person sees.
on_terminal() {
    TERM=xterm PAGER=$1 script -qec "$tool ${*:2}" /dev/null </dev/null | tr -d '\r'
}
for words in "trace $capture --lines 5" "find $capture $fibonacci" "dump $capture" "diff $work/one/capture $work/other/capture" "names $capture"; do
    on_terminal 'sed s/^/paged:/' "$words" >"$work/paged"
    same "pager: what ${words%% *} lists on a terminal" "$(grep -c '^paged:' "$work/paged") $(($(wc -l <"$work/paged") > 0))" "$(wc -l <"$work/paged") 1"
    same "pager: none for ${words%% *} where none is wanted" "$(on_terminal 'sed s/^/paged:/' "--no-pager $words" | grep -c '^paged:')" 0
done
same 'pager: who leaves it early has read enough' \
    "$(on_terminal 'head -n 2' "trace $capture --what branches; echo status \$?" | wc -l) $(on_terminal 'head -n 2' "trace $capture --what branches; echo status \$?" | tail -n 1)" \
    '3 status 0'
same 'pager: none in a pipe' "$(PAGER='sed s/^/paged:/' $tool trace "$capture" --lines 3 | grep -c '^paged:')" 0

done_testing
