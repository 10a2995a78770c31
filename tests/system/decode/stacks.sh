#!/bin/bash
# The figures of `report` for functions, compared with those that follow from the list of all branches and the symbols of
# the guest's ELF file, and with the calls in the guest's source.
. tests/system/lib.sh

# symbols GUEST: its functions, as nm names them.
symbols() {
    nm "build/guests/$1.elf" | sort >"$work/$1.map"
}

# reported NAME GUEST: its figures go to $work/NAME.json.
reported() {
    build/undertrace report "$work/$1/capture" --symbols "$work/$2.map" --json "$work/$1.json" >"$work/$1.txt"
}

# figure NAME SYMBOL WHAT
figure() {
    jq ".profile.functions | map(select(.symbol == \"$2\")) | map(.$3) | add" "$work/$1.json"
}

# entered NAME GUEST SYMBOL: how many branches lead to its first instruction.
entered() {
    awk -v at="$(awk -v s="$3" '$3 == s { sub(/^0+/, "", $1); print $1 }' "$work/$2.map")" \
        '{ sub(/^0+/, "", $2) } $2 == at { n++ } END { print n + 0 }' "$work/$1.branches"
}

# own NAME GUEST SYMBOL: how many branches are between it and the next symbol.
own() {
    awk -v s="$3" 'NR == FNR { if (found && !end && $1 != begin) end = $1; if ($3 == s) { begin = $1; found = 1 } next }
        { from = substr("0000000000000000" $1, length($1) + 1) } from >= begin && from < end { n++ }
        END { print n + 0 }' "$work/$2.map" "$work/$1.branches"
}

# Without MTC packets: the time that root mode takes for a VM exit counts as time of the branches since the timing packet before,
# and so that of fibonacci's last ones would.
check 'branches: it runs' boot_guest branches branches 'channel=e1000 pt.mtc=off'
symbols branches
check 'branches: it is reported' reported branches branches
check 'branches: they are listed' build/undertrace decode "$work/branches/capture" --branches "$work/branches.branches"
same 'each branch belongs to one function' "$(jq '[.profile.functions[].branches] | add' "$work/branches.json")" \
    "$(jq .branches "$work/branches.json")"
same 'all functions have names' "$(jq '[.profile.functions[] | select(.symbol == null)] | length' "$work/branches.json")" 0
for function in fibonacci deep on_timer on_page_fault syscall_count; do
    same "$function is entered as often as branches lead to it" "$(figure branches $function calls)" \
        "$(entered branches branches $function)"
done
for function in fibonacci deep console_line guest_main table.constprop.0; do
    same "$function has the branches within it" "$(figure branches $function branches)" \
        "$(own branches branches $function)"
done

# Times: those of exports, which have another way from packets to files; and none is lost.
check 'branches: its call tree is exported' build/undertrace export "$work/branches/capture" --format folded --unit ticks \
    --symbols "$work/branches.map" -o "$work/branches.folded"
differing=$(jq -r '.tsc_khz as $khz | .profile.functions | group_by(.symbol)[] | "\(.[0].symbol) \(map(.seconds) | add * $khz * 1000)"' \
    "$work/branches.json" | awk 'NR == FNR { ticks[$1] = $2; next }
        { n = $NF; sub(/ [0-9]+$/, ""); k = split($0, way, ";"); ours[way[k]] += n }
        END { for (f in ours) if (ours[f] - ticks[f] > 1000 || ticks[f] - ours[f] > 1000) print f, ours[f], ticks[f] }' - "$work/branches.folded")
same 'each function has the ticks that its export says' "$differing" ''
# The emulator's TSC counts instructions, and fibonacci has nothing but short ones, called and returned from all the time.
share() {
    jq "[.profile.functions[] | select(.symbol == \"fibonacci\") | .$1] | add" "$work/branches.json"
}
same 'fibonacci has its share of the time' "$(jq "(.profile.functions | map(.seconds) | add) as \$all |
    ($(share seconds) / \$all) / ($(share branches) / .branches) | . > 0.8 and . < 1.25" "$work/branches.json")" true

# Machines read it: all of it is there, and each field is in the docs.
build/undertrace report "$work/branches/capture" --symbols "$work/branches.map" --json - >"$work/branches.stdout"
same '--json - writes only that' "$(jq -S 'del(.seconds.decode)' "$work/branches.stdout")" "$(jq -S 'del(.seconds.decode)' "$work/branches.json")"
same 'docs/report.md has each field' "$(jq -r 'def fields: keys[]; fields, (.profile | fields), (.timeline | fields), (.decode_gaps | fields),
    (.truth | fields), (.seconds | fields), (.per_cpu[0] | fields), (.profile.functions[0] | fields), (.profile.phases[0] | fields),
    (.profile.processes[0] | fields), (.profile.interrupts[0] | fields)' "$work/branches.json" | sort -u |
    while read -r field; do grep -q "\`$field\`" docs/report.md || echo "$field"; done)" ''
# What its source says.
same 'deep(200) is 201 calls' "$(figure branches deep calls)" 201
same 'all of fibonacci is its own' "$(figure branches fibonacci total_branches)" "$(figure branches fibonacci branches)"
same 'start64 led to what guest_main did before user mode, and back' \
    "$(($(figure branches start64 total_branches) > $(figure branches fibonacci total_branches)))" 1
same 'interrupts are counted by the function that they enter' \
    "$(jq '.profile.interrupts | map(select(.symbol == "on_timer")) | map(.number) | add' "$work/branches.json")" \
    "$(entered branches branches on_timer)"

# The same of several CPUs: each function's branches are those of all.
# It is decoded while it comes, too: its screen at the end has the same figures.
symbols smp
watcher=$work/watcher
printf '#!/bin/sh\nTERM=xterm exec build/tools/on_terminal 120x24 %s build/undertrace "$@"\n' "$work/smp.tty" >"$watcher"
chmod +x "$watcher"
smp() {
    RECEIVER=$watcher RECEIVE="--decode --symbols $work/smp.map" CPUS=2 boot smp build/guests/smp.bzImage '' 'cpus=2' 'channel=e1000'
}
check 'smp: it runs' smp
check 'smp: it is reported' reported smp smp
same 'smp: each branch belongs to one function' "$(jq '[.profile.functions[].branches] | add' "$work/smp.json")" \
    "$(jq .branches "$work/smp.json")"
tr -d '\r' <"$work/smp.tty" | sed ':a; $!{N; ba}; s/.*\x1b\[?1049l//' >"$work/smp.last"
same 'smp: the screen ends with the branches of the report' "$(sed -n 's/^decoded  \([0-9,]*\) branches.*/\1/p' "$work/smp.last" | tr -d ,)" \
    "$(jq .branches "$work/smp.json")"
same 'smp: and with the bytes of info' "$(awk '/^cpu/ { print $2, $3, $4 }' "$work/smp.last")" \
    "$(info smp '.streams[] | "\(.cpu) \(.trace_bytes)"' | awk '{ printf "%d %.3g KiB\n", $1, $2 / 1024 }')"
same 'smp: its functions are those of the report' \
    "$(sed -n '/functions (/,/processes (/{ s/^ *[0-9.]*% *\([0-9,]*\)  \(.*\)/\2 \1/p }' "$work/smp.last" | tr -d ,)" \
    "$(jq -r '.profile.functions | group_by(.symbol) | map({symbol: .[0].symbol, branches: (map(.branches) | add)}) | sort_by(-.branches)[] |
        "\(.symbol) \(.branches)"' "$work/smp.json" | head -n "$(sed -n '/functions (/,/processes (/p' "$work/smp.last" | grep -c '%')")"
at_most 'smp: of these five and more' 5 "$(sed -n '/functions (/,/processes (/p' "$work/smp.last" | grep -c '%')"
same 'smp: nothing is lost' "$(grep -c '^lost     nothing$' "$work/smp.last")" 1
same 'smp: its names are remembered' "$(info smp '.names[] | select(.kind == "symbols").path')" "$(realpath "$work/smp.map")"
done_testing
