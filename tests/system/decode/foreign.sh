#!/bin/bash
# Traces that are not captures: raw packets and images. What the engine reads of them is compared with libipt's decoders, in
# the formats of libipt's tools, which build/undertrace-judge prints; and with the program that made the trace up and so knows
# what was executed.
. tests/system/lib.sh

tool=build/undertrace judge=build/undertrace-judge base=0x401000
bytes() { printf "$(sed 's/ *\([0-9a-f][0-9a-f]\)/\\x\1/g' <<<"$1")"; }

# walked NAME: only the instructions.
walked() { grep -v '^\[' "$work/$1.ptxed" | sed 's/^? //'; }

decode() {
    local name=$1
    shift
    "$judge" ptxed --pt "$work/$name.pt" "$@" >"$work/$name.ptxed"
}

for seed in $(seq 1 "${SEEDS:-12}"); do
    name=random$seed
    build/tools/foreign_make "$seed" "$work/$name"
    check "seed $seed decodes" decode "$name" --image "$work/$name.bin@$base"
    check "seed $seed: each of $(wc -l <"$work/$name.walk") instructions" diff -q <(walked "$name") "$work/$name.walk"
    "$tool" decode --pt "$work/$name.pt" --image "$work/$name.bin@$base" --instructions "$work/$name.list" >"$work/sums"
    check "seed $seed: --instructions is the same list" diff -q "$work/$name.list" "$work/$name.walk"
    build/tools/ptxed_ref "$work/$name.pt" "$work/$name.bin" "$base" >"$work/$name.ptxed_ref"
    check "seed $seed: libipt sees the same instructions and events" diff -q "$work/$name.ptxed" "$work/$name.ptxed_ref"
    "$judge" ptdump "$work/$name.pt" >"$work/$name.ptdump"
    build/tools/ptdump_ref "$work/$name.pt" >"$work/$name.ptdump_ref"
    check "seed $seed: libipt sees the same packets" diff -q "$work/$name.ptdump" "$work/$name.ptdump_ref"
    "$tool" dump --pt "$work/$name.pt" >"$work/$name.dump"
    check "seed $seed: dump --pt prints the same packets" diff -q "$work/$name.dump" "$work/$name.ptdump"
done

# A trace that ends while tracing is on.
name=random1
cp "$work/$name.bin" "$work/cut.bin"
for cut in 60 100 150 200; do
    head -c "$cut" "$work/$name.pt" >"$work/cut.pt"
    decode cut --image "$work/cut.bin@$base"
    build/tools/ptxed_ref "$work/cut.pt" "$work/cut.bin" "$base" >"$work/cut.ptxed_ref"
    check "cut after $cut bytes: as libipt reads it" diff "$work/cut.ptxed" "$work/cut.ptxed_ref"
done

# A RET that goes elsewhere takes its CALL from the stack (SDM "Indirect Transfer Compression for Returns (RET)"): libipt leaves
# it there, and so is no judge here.
for seed in 1 2 3; do
    name=unmatched$seed
    build/tools/foreign_make "$seed" "$work/$name" unmatched
    check "unmatched RETs, seed $seed: decodes" decode "$name" --image "$work/$name.bin@$base"
    check "unmatched RETs, seed $seed: each instruction" diff -q <(walked "$name") "$work/$name.walk"
done

# The same image in parts, and in an ELF file.
name=random1
size=$(stat -c %s "$work/$name.bin")
cp "$work/$name.ptxed" "$work/whole"
check 'an image in two parts decodes' decode "$name" --image "$work/$name.bin:0-5001:$base" \
    --raw "$work/$name.bin:5001-$size:$((base + 5001))"
check 'an image in two parts is as good as one' diff -q "$work/$name.ptxed" "$work/whole"
check 'parts that overlap and agree decode' decode "$name" --image "$work/$name.bin@$base" \
    --raw "$work/$name.bin:100-5000:$((base + 100))"
check 'parts that overlap and agree are as good as one' diff -q "$work/$name.ptxed" "$work/whole"
(cd "$work" && ld -r -b binary -o code.o $name.bin &&
    objcopy --rename-section .data=.text,alloc,load,code,contents code.o &&
    ld -nostdlib -static -Ttext=$base -e $base -o code.elf code.o &&
    ld -nostdlib -static -Ttext=0x501000 -e 0x501000 -o moved.elf code.o) >"$work/ld.log" 2>&1
first=$(readelf -lW "$work/moved.elf" 2>/dev/null | awk '$1 == "LOAD" { print $3; exit }')
check 'an ELF file decodes' decode "$name" --elf "$work/code.elf"
check 'an ELF file is as good as an image' diff -q "$work/$name.ptxed" "$work/whole"
check 'an ELF file at another base decodes' decode "$name" --elf "$work/moved.elf@$((first - 0x100000))"
check 'an ELF file at another base is as good as an image' diff -q "$work/$name.ptxed" "$work/whole"

# The same packets and mappings in a perf.data file, which perf accepts too.
check 'perf.data is written' build/tools/perfdata_wrap "$work/$name.pt" 0 "$(stat -c %s "$work/$name.pt")" "$work/perf.data" \
    "$work/$name.bin" "$base" 0x2001
check 'perf.data decodes' "$tool" decode --perf "$work/perf.data" --instructions "$work/perf.instructions"
check 'perf.data is as good as its parts' diff -q "$work/perf.instructions" "$work/$name.walk"
cp "$work/perf.instructions" "$work/perf.walk.ours"
if command -v perf >/dev/null; then
    perf script -i "$work/perf.data" --itrace=i1i -F ip 2>"$work/perf.log" | sed 's/ //g' >"$work/perf.walk"
    same 'perf reads the same number of instructions, or nearly' \
        "$(($(wc -l <"$work/perf.walk") * 100 / $(wc -l <"$work/$name.walk") > 90))" 1
else
    skip 'perf reads the same instructions' 'perf is not installed (linux-perf)'
fi
if command -v perf >/dev/null && perf inject -i "$work/perf.data" -o - >"$work/pipe.data" 2>"$work/perf.log"; then
    check 'perf.data from a pipe decodes' "$tool" decode --perf "$work/pipe.data" --instructions "$work/pipe.instructions"
    check 'it is as good as a file' diff -q "$work/pipe.instructions" "$work/$name.walk"
else
    skip 'perf.data from a pipe' 'perf is not installed (linux-perf)'
fi
"$tool" decode --perf "$work/perf.data" --pid 77 --image "$work/$name.bin@$base" --instructions "$work/perf.instructions" >"$work/sums"
check 'perf.data with another image decodes' diff -q "$work/perf.instructions" "$work/$name.walk"

# perf.data of the fuzz corpus. ran NAME BUFFER (none: all): the last three digits of the addresses that were executed.
mkdir -p "$work/files"
tests/rig/perf_corpus.sh "$work/files/c"
ran() {
    "$judge" ptxed --perf "tests/fuzz/corpus/perf/$1" ${2:+--buffer "$2"} --symfs "$work/files" 2>&1 |
        sed -n 's/^0000000000401//p; s/^.*error.*/error/p' | tr '\n' ' '
}
same 'perf.data: one program after the other on a CPU' "$(ran two 0)" '000 004 005 00b 000 001 000 001 000 001 '
same 'perf.data: the other way round on the other' "$(ran two 1)" '000 001 000 001 000 002 003 000 '
same 'perf.data: both in the order of time' "$(ran two '')" \
    '000 004 005 00b 000 001 000 001 000 002 003 000 000 001 000 001 000 001 '
same "perf.data: with the kernel's PIPs" "$(ran kernel 0)" '000 004 005 00b 000 001 003 '
same 'perf.data: what two snapshots share is taken once' "$(ran snapshot 0)" \
    '000 004 005 00b 000 002 003 000 004 005 00b 000 002 003 000 002 003 000 '
same 'perf.data: a thread, and a device that it had mapped' "$(ran thread 3)" \
    '000 004 005 00b 000 002 003 000 004 005 00b 000 004 005 00b 000 002 003 000 '

# What was lost is said; where another buffer's packets follow nothing is.
missing() {
    "$tool" decode --perf "tests/fuzz/corpus/perf/$1" --symfs "$work/files" 2>&1 | sed -n 's/.*packets are missing in //p'
}
same 'perf.data: an AUX record that was cut is said' "$(missing two)" '1 place (the output stopped, or they were overwritten)'
same 'perf.data: and a part that was overwritten' "$(missing thread)" '1 place (the output stopped, or they were overwritten)'
same 'perf.data: where nothing is missing nothing is said' "$(missing kernel)" ''

# A file that perf did not finish: its header has no size, nothing follows the records, and they may end anywhere.
end=$(od -An -t u8 -j 40 -N 16 "$work/perf.data" | awk '{ print $1 + $2 }')
unfinished() {
    head -c $((end - $1)) "$work/perf.data" >"$work/unfinished.data"
    head -c 8 /dev/zero | dd of="$work/unfinished.data" bs=1 seek=48 conv=notrunc status=none
    "$tool" decode --perf "$work/unfinished.data" --instructions "$work/unfinished" >"$work/sums" 2>"$work/err"
}
check 'perf.data that is not finished decodes' unfinished 0
check 'it has all that was written' cmp "$work/unfinished" "$work/perf.walk.ours"
same 'and that is said' "$(grep -c 'perf did not finish this file' "$work/err")" 1
unfinished 200
check 'cut within a record: what is before it' cmp -n "$(stat -c %s "$work/unfinished")" "$work/unfinished" "$work/perf.walk.ours"
at_least_half() { [ "$(stat -c %s "$work/unfinished")" -gt $(($(stat -c %s "$work/perf.walk.ours") / 2)) ]; }
check 'which is most of it' at_least_half

# Where a part of the code is missing: the list with --resync-on-error is a part of the walk, in its order, and longer than without.
name=random2
holed() {
    decode "$name" --image "$work/$name.bin:0-5000:$base" --image "$work/$name.bin:5200-9000:$((base + 5200))" "$@" 2>/dev/null
}
holed
walked "$name" >"$work/stopped"
holed --resync-on-error
walked "$name" >"$work/resynced"
in_order() {
    awk 'NR == FNR { walk[NR] = $1; n = NR; next }
        { do at++; while (at <= n && walk[at] != $1); if (at > n) exit 1 }' "$1" "$2"
}
check "--resync-on-error: $(wc -l <"$work/resynced") instructions of $(wc -l <"$work/$name.walk"), in their order" \
    in_order "$work/$name.walk" "$work/resynced"
if [ "$(wc -l <"$work/resynced")" -gt "$(wc -l <"$work/stopped")" ]; then
    pass "--resync-on-error lists more than the $(wc -l <"$work/stopped") without"
else
    fail '--resync-on-error lists more' "$(wc -l <"$work/resynced"), without $(wc -l <"$work/stopped")"
fi

# ptdump's time: with only a TSC packet it is that one's; the computation has a unit test (tests/unit/judge/test_dump_time.c).
"$judge" ptdump --time "$work/$name.pt" |
    awk '$2 == "tsc" && $4 == "tsc" { print substr($5, 17 - length($3)) == $3 }' >"$work/tsc"
same 'ptdump --time shows the TSC at each TSC packet' "$(sort -u "$work/tsc")" 1
"$judge" ptxed --pt "$work/$name.pt" --image "$work/$name.bin@$base" --insn-decoder --quiet --stat >"$work/stat"
same '--quiet --stat: how many instructions' "$(cat "$work/stat")" "insn: $(wc -l <"$work/$name.walk")."
name=random1

# Errata: traces that the manual does not allow, and that CPUs of some models write. Without the model they are errors, or lead
# elsewhere; with it, libipt reads the same.
psb='02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82'
off="$psb 99 01 02 23"
on="$psb 99 01 7d 00 10 40 00 00 00 02 23"
end='3d 08 10 01'
erratum() {
    local name=$1 model=$2 trace=$3 code=$4
    bytes "$trace" >"$work/$name.pt"
    bytes "$code" >"$work/$name.bin"
    decode "$name" --image "$work/$name.bin@$base" >/dev/null 2>&1
    cp "$work/$name.ptxed" "$work/$name.manual"
    check "$name: decodes" decode "$name" --image "$work/$name.bin@$base" --cpu "6/$model"
    build/tools/ptxed_ref "$work/$name.pt" "$work/$name.bin" "$base" "$model" >"$work/$name.ptxed_ref"
    check "$name: libipt reads the same" diff "$work/$name.ptxed" "$work/$name.ptxed_ref"
    check "$name: by the manual it would be something else" test "$(cat "$work/$name.manual")" != "$(cat "$work/$name.ptxed")"
}
nops='90 90 90 90 90 90 90 90 90 90 90 90'
erratum APL11 0x5c "$on 02 f3 61 01 10 40 00 00 00 99 01 71 02 10 40 00 00 00 $end" "$nops"
erratum APL12 0x5c "$on 02 f3 7d 01 10 40 00 00 00 02 43 00 00 00 00 00 00 99 01 71 02 10 40 00 00 00 $end" "$nops"
erratum SKD007 0x8e "$on 07 02 f3 00 7d 04 10 40 00 00 00 $end" "$nops"
erratum SKD010-TIP 0x8e "$off 02 f3 6d 03 10 40 00 00 00 $end" "$nops"
erratum SKD010-FUP 0x8e "$off 02 f3 99 21 7d 03 10 40 00 00 00 $end" "$nops"
erratum SKD010-PGD 0x8e "$off 02 f3 61 03 10 40 00 00 00 71 04 10 40 00 00 00 $end" "$nops"
erratum SKD022 0x8e "$on 3d 00 10 01 71 04 10 40 00 00 00 $end" "0f 01 c2 90 90 90 90 90 90"
erratum BDM64 0x3d "$psb 99 01 99 21 7d 00 10 40 00 00 00 02 23 04 99 22 3d 06 10 2d 04 10 $end" "74 02 74 06 90 90 90 90 90 90"

# After the end of an image, code is not known, and not taken for zeros. Two NOPs, and the PSB+ says that it is the first one's.
bytes '02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 7d 00 10 40 00 00 00 99 01 02 23 3d 10 10' >"$work/end.pt"
bytes '90 90' >"$work/end.bin"
"$judge" ptxed --pt "$work/end.pt" --image "$work/end.bin@$base" >"$work/end.ptxed"
same 'after an image no code is known: status' $? 2
same 'after an image no code is known' "$(tr '\n' ' ' <"$work/end.ptxed")" \
    '0000000000401000 0000000000401001 [1e, 401002: error: no memory mapped at this address] '

# Blocks, which are ptxed's default: one is in one image.
bytes "$psb 7d 00 10 40 00 00 00 99 01 02 23 3d 03 10 01" >"$work/blocks.pt"
bytes '90 90 90 90' >"$work/blocks.bin"
decode blocks --image "$work/blocks.bin@$base" --stat --quiet
same '--stat: instructions and blocks' "$(tr -s '\t\n' ' ' <"$work/blocks.ptxed")" 'insn: 3. blocks: 1. '
decode blocks --image "$work/blocks.bin@$base" --block:show-blocks --stat
same '--block:show-blocks --stat: they are numbered' "$(head -n 1 "$work/blocks.ptxed")" '[block 1]'
decode blocks --image "$work/blocks.bin:0-2:$base" --image "$work/blocks.bin:2-4:$((base + 2))" --block:show-blocks
same '--block:show-blocks: of two images' "$(sed 's/^0*//' "$work/blocks.ptxed" | tr '\n' ' ')" \
    '[block] 401000 401001 [block] 401002 [disabled] '

# A call that comes twice: JNZ back to it, taken once.
bytes "$psb 7d 00 10 40 00 00 00 99 01 02 23 0c 3d 07 10 01" >"$work/call.pt"
bytes 'e8 00 00 00 00 75 f9 90' >"$work/call.bin"
decode call --image "$work/call.bin@$base" --block:show-blocks
same '--block:show-blocks: a call ends a block the first time' "$(sed 's/^0*//' "$work/call.ptxed" | tr '\n' ' ')" \
    '[block] 401000 [block] 401005 [block] 401000 401005 [disabled] '

# Time advances where a branch's packet came after a CYC: the PSB+ has TSC 0xa000 and CBR 2, four cycles at a ratio of 2
# are 8 ticks where the TSC's is 4. Within the next TNT none has passed; after an OVF it advances again.
bytes "$psb 7d 00 10 40 00 00 00 99 01 19 00 a0 00 00 00 00 00 02 03 02 00 02 23 23 06 06 02 f3 7d 00 10 40 00 00 00 23 06 3d 02 10 01" \
    >"$work/tick.pt"
bytes '75 00 75 fc ff e0' >"$work/tick.bin"
tick=(--image "$work/tick.bin@$base" --event:tick --event:time --nom-freq 4)
decode tick "${tick[@]}"
same '--event:tick: where time has passed' "$(sed 's/^0*//; s/^\[0*/[/' "$work/tick.ptxed" | tr '\n' ' ')" \
    '401000 [a008  tick] 401002 [a008  overflow] 401000 [a008  disabled] '
decode tick --image "$work/tick.bin@$base" --time --nom-freq 4
same '--time: of the last event before each instruction' "$(sed 's/^0*//; s/  0*/ /' "$work/tick.ptxed" | tr '\n' ' ')" \
    'a000 401000 a000 401002 [overflow] a008 401000 [disabled] '
decode tick "${tick[@]}" --insn:keep-tcal-on-ovf
same '--insn:keep-tcal-on-ovf: after an overflow, too' "$(sed -n 's/ *tick]//p' "$work/tick.ptxed" | tr '\n' ' ')" \
    '[000000000000a008 [000000000000a010 '

# refused TEXT WORDS...: one line says why, and the status is 1.
refused() {
    local text=$1 status=0
    shift
    "$tool" decode "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ $status = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err"; then
        pass "refused: $text"
    else
        fail "refused: $text" "status $status, $(cat "$work/err")"
    fi
}
pt=$work/$name.pt bin=$work/$name.bin
: >"$work/empty"
head -c 100 /dev/zero >"$work/zeros"
refused 'No such file' --pt "$work/none" --image "$bin@$base"
refused 'No such file' --pt "$pt" --image "$work/none@$base"
refused 'an at sign, and an address' --pt "$pt" --image "$bin"
refused 'an at sign, and an address' --pt "$pt" --image "$bin@here"
refused "exceeds the file's $size bytes" --pt "$pt" --image "$bin:0-$((size + 1)):$base"
refused 'exceeds the address space' --pt "$pt" --image "$bin@0xfffffffffffff000"
refused 'different bytes at address 0x401001' --pt "$pt" --image "$bin@$base" --image "$bin@0x401001"
refused 'not an ELF file' --pt "$pt" --elf "$bin"
refused 'no PSB in 0 bytes' --pt "$work/empty" --image "$bin@$base"
refused 'no PSB in 100 bytes' --pt "$work/zeros" --image "$bin@$base"
refused 'not a perf.data file' --perf "$bin"
refused 'a perf.data file, not raw packets: decode --perf reads it' --pt "$work/perf.data" --image "$bin@$base"
for cut in 50 110 400 3000; do
    head -c "$cut" "$work/perf.data" >"$work/cut.data"
    refused "truncated at offset $cut" --perf "$work/cut.data"
done
refused 'FAMILY/MODEL/STEPPING' --pt "$pt" --image "$bin@$base" --cpu 6/1x
refused 'requires the code' --pt "$pt"
refused 'requires a capture' --pt "$pt" --image "$bin@$base" --shard 1/2 --result "$work/none"
refused 'require --perf' --pt "$pt" --image "$bin@$base" --buffer 0
refused 'is not a number' --pt "$pt" --image "$bin@$base" --filter:addr0_cfg 16

done_testing
