#!/bin/bash
# verify must find what is wrong: one flipped TNT bit, one changed byte of a code page, a cut trace. And decode, report and
# dump must say what is missing, each by its exit status too (undertrace(1)). Checksums, without which these are, name it
# first: a flipped bit anywhere in a capture is said.
. tests/system/lib.sh

check 'branches runs to power-off' boot_guest whole branches 'channel=e1000 net.mtu=9000'
exact 'the undamaged trace equals the truth' whole

# damaged NAME: verify of the capture copy $work/NAME must fail and say where.
damaged() {
    local name=$1 output
    if output=$(build/undertrace verify "$work/$name" "$work/whole/truth.bin" 2>&1); then
        fail "verify finds $name" "$output"
    else
        pass "verify finds $name"
    fi
}

# poke FILE OFFSET BYTE: replace one byte; BYTE in octal.
poke() {
    printf "\\$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# A TNT packet of six branches: bits 6 to 1 are the branches, bit 7 is the stop bit, bit 0 is 0.
copy() {
    cp -r "$work/whole/capture" "$work/$1"
    rm "$work/$1/checksums"
}
copy tnt
offset=$(build/undertrace dump "$work/tnt" | awk '$2 == "tnt.8" && length($3) == 6 { n++; if (n == 400) print $1 }')
byte=$((0x$(xxd -s "$((0x$offset))" -l 1 -p "$work/tnt/cpu0.pt")))
poke "$work/tnt/cpu0.pt" "$((0x$offset))" "$(printf %03o $((byte ^ 8)))"
damaged tnt

# The bytes of fibonacci's first compare, found in the guest's own file, changed where the capture has them.
copy page
code=$(nm build/guests/branches.elf | awk '$3 == "fibonacci" { print $1 }')
bytes=$(objdump -d --start-address=0x"$code" --stop-address=$((0x$code + 32)) build/guests/branches.elf |
    awk -F'\t' '/^ *[0-9a-f]+:/ { gsub(" ", "", $2); printf "%s", $2 }' | cut -c 1-32)
at=$(LC_ALL=C grep -obUaP "$(echo "$bytes" | sed 's/../\\x&/g')" "$work/page/events.bin" | head -n 1 | cut -d : -f 1)
same 'the page of fibonacci is in the capture' "${at:+found}" found
jump=$(objdump -d --start-address=0x"$code" build/guests/branches.elf | awk '/\tj[a-z]+ / { sub(":", "", $1); print $1; exit }')
where=$((at + 0x$jump - 0x$code))
byte=$((0x$(xxd -s "$where" -l 1 -p "$work/page/events.bin")))
poke "$work/page/events.bin" "$where" 220 # NOP where a conditional jump was
damaged page

copy cut
truncate -s -4096 "$work/cut/cpu0.pt"
damaged cut
copy bare
build/undertrace decode "$work/bare" >/dev/null 2>"$work/without.log"
same 'a capture without checksums is read, and said to have none' \
    "$? $(grep -c 'has no checksums' "$work/without.log")" '0 1'

# Bits all over each file: info, decode and report name the file, and exit with 2.
cp -r "$work/whole/capture" "$work/bits"
named=0 tried=0
for file in cpu0.pt events.bin index meta.json checksums; do
    size=$(stat -c %s "$work/bits/$file")
    for part in 0 1 2 3 4 5 6 7 8 9 10 11; do
        where=$((size * part / 12))
        byte=$((0x$(xxd -s "$where" -l 1 -p "$work/bits/$file")))
        poke "$work/bits/$file" "$where" "$(printf %03o $((byte ^ 1 << part % 8)))"
        tried=$((tried + 1))
        for command in info decode report; do
            build/undertrace $command "$work/bits" >/dev/null 2>"$work/bits.log"
            status=$?
            if [ $status = 2 ] && grep -q "bits/$file: offset" "$work/bits.log"; then
                named=$((named + 1))
            else
                echo "# $command, $file at $where: $status, $(cat "$work/bits.log")"
            fi
        done
        poke "$work/bits/$file" "$where" "$(printf %03o $byte)"
    done
done
same "each of $tried flipped bits is named by each of three commands" "$named" $((3 * tried))
# With names, one pass decodes for all that report says: the figures and messages are those without names.
for name in whole/capture page cut; do
    for words in '' '--files build/guests/branches.elf'; do
        # shellcheck disable=SC2086 # two words
        build/undertrace report "$work/$name" --truth "$work/whole/truth.bin" $words --json "$work/report.json" >/dev/null \
            2>"$work/said"
        { echo $?; jq 'del(.profile, .seconds)' "$work/report.json"; cat "$work/said"; } >"$work/report${words:+.named}"
    done
    check "report of $name has the same figures with names" cmp "$work/report" "$work/report.named"
    # A page with a changed byte is no file's.
    [ $name = page ] || same "report of $name has names" \
        "$(jq '.profile.functions | map(select(.symbol == "fibonacci")) | length' "$work/report.json")" 1
done
check 'and with none it is as it was received' build/undertrace info "$work/bits"
build/undertrace verify "$work/whole/capture" "$work/whole/truth.bin" >/dev/null
same 'verify of what is whole' "$?" 0
byte=$((0x$(xxd -s 3 -l 1 -p "$work/bits/meta.json")))
poke "$work/bits/meta.json" 3 "$(printf %03o $((byte ^ 1)))"
build/undertrace report "$work/bits" --json "$work/report.json" >/dev/null 2>&1
same 'report of what is damaged does not call it complete' "$(jq -r .result "$work/report.json")" incomplete
build/undertrace verify "$work/bits" "$work/whole/truth.bin" >/dev/null 2>&1
same 'verify of what is equal, but damaged' "$?" 2

# statuses NAME: exit statuses of decode, report and dump, and what the report's result and decode gaps are.
statuses() {
    local dir=$work/$1 decode report
    build/undertrace decode "$dir" --branches "$dir.branches" --instructions "$dir.instructions" >"$dir.decode" 2>&1
    decode=$?
    build/undertrace report "$dir" --json "$dir.json" >"$dir.report" 2>&1
    report=$?
    build/undertrace dump "$dir" >/dev/null 2>&1
    echo "$decode $report $? $(jq -r '"\(.result) \(.decode_gaps | "\(.count) \(.causes | keys | join(","))")"' "$dir.json")"
}
cp -r "$work/whole/capture" "$work/same"
same 'the undamaged trace is complete' "$(statuses same)" '0 0 0 complete 0 '
# Where the last packet is cut, dump cannot read it.
same 'a cut trace is not' "$(statuses cut | cut -d ' ' -f 1,2,4-)" '2 2 incomplete 1 the trace ends while tracing is on'
check 'what was listed of it is the first part' cmp -n "$(stat -c %s "$work/cut.branches")" "$work/cut.branches" \
    "$work/same.branches"
check 'and so are its instructions' cmp -n "$(stat -c %s "$work/cut.instructions")" "$work/cut.instructions" \
    "$work/same.instructions"

# The byte before a PSB becomes one that begins a packet of eight.
copy psb
offset=$(build/undertrace dump "$work/psb" | awk '$2 == "psb" && ++n == 3 { print $1; exit }')
poke "$work/psb/cpu0.pt" "$((0x$offset - 1))" 031
build/undertrace dump "$work/psb" >"$work/psb.dump" 2>"$work/psb.log"
same 'a packet that reaches into a PSB is none, and the PSB is found' \
    "$? $(grep -c 'reaches into a PSB' "$work/psb.dump") $(grep -c "^$offset  psb" "$work/psb.dump")" '2 1 1'
same 'and it costs no more than the end of its stretch' "$(statuses psb)" \
    '2 2 2 incomplete 1 a packet extends into the next PSB'

copy random
LC_ALL=C awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) printf "%c", int(rand() * 256) }' >"$work/random/cpu0.pt"
same 'random bytes are no trace' "$(statuses random)" '2 2 1 incomplete 1 no PSB before these bytes'
done_testing
