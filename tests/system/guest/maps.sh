#!/bin/bash
# Which page an address leads to, in each address space and at each moment: the guest `maps` changes it in every way that a
# kernel does. What is decoded is what was executed; where that cannot be known, the decoder stops and says so.
. tests/system/lib.sh

export MEMORY=256 QUIET=3

# maps NAME CMDLINE
maps() {
    boot "$1" build/guests/maps.bzImage '' "$2" 'channel=e1000 net.mtu=9000'
}

# run NAME CPUS CMDLINE
run() {
    CPUS=$2 BRANCHES=1 check "$1: the guest runs" maps "$1" "$3"
    console_has "$1: and ran the right page each time" "$1" 'maps: ok'
    same "$1: no gap in the trace" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$1/capture/meta.json")" 0
    clean_log "$1"
}

# not_known BOOT CPU: at how many places the decoder says that it does not know what an address led to. No other error counts. A
# place that contains a PSB, which come every 16 KiB, is reported before and after it.
not_known() {
    build/undertrace verify "$work/$1/capture" "$work/$1/truth.bin" --json "$work/$1/verify.json" >"$work/$1/verify.log" 2>&1
    sed -n "s/.*cpu$2.pt: offset \([0-9]*\), at 0x[0-9a-f]* of CR3 0x[0-9a-f]*: no memory mapped.*/\1/p" "$work/$1/verify.log" |
        awk 'NR == 1 || $1 - last > 16384 { n++ } { last = $1 } END { print n + 0 }'
}

# one_hole NAME BOOT: of the branches of BOOT's only CPU those that were decoded are right from the start to one place, and
# from another one, where decoding continued, to the end.
one_hole() {
    local dir=$work/$2 decoded executed right
    build/undertrace decode "$dir/capture" --branches - 2>"$dir/decode.log" | awk '/^[0-9a-f]+ [0-9a-f]+$/' >"$dir/decoded"
    od -An -v -w16 -tx8 "$dir/branches.bin" | sed 's/^ //' >"$dir/executed"
    decoded=$(wc -l <"$dir/decoded")
    executed=$(wc -l <"$dir/executed")
    right=$(cmp "$dir/decoded" "$dir/executed" | awk '{ print $NF - 1 }')
    if [ "${right:-0}" -gt 0 ] && [ "$decoded" -gt "$right" ] && cmp -s \
        <(tail -n $((decoded - right)) "$dir/decoded") <(tail -n $((decoded - right)) "$dir/executed"); then
        pass "$1 ($decoded of $executed branches, $right before it)"
    else
        fail "$1" "$decoded of $executed branches are decoded; the first ${right:-0} are right"
    fi
}

run one 1 ''
exact 'one: all branches equal the truth' one
run nonx 1 nonx
exact 'nonx: without NX, too' nonx
run two 2 cpus=2
exact 'two: two CPUs at once, in address spaces of their own' two
same 'two: both were traced' "$(jq '[.cpus[] | select(.branches > 0)] | length' "$work/two/verify.json")" 2

# A disk fills pages that were executed before: no CPU writes them.
truncate -s 5160960 "$work/disk.img" # ten cylinders of 16 heads, 63 sectors
DISK=$work/disk.img run disk 1 disk
exact 'disk: all branches equal the truth' disk

# A handler that waits for long, as for a disk: the next scan must not be as late again as the wait was. With two CPUs
# the program continues on the other one.
run held 1 held
exact 'held: a handler that waits' held
run brief 1 'held brief'
exact 'brief: its program ends without another fault' brief
run bare 1 'held brief bare'
exact 'bare: nor was there a page table when it faulted' bare
run moved 2 'cpus=2 held'
exact 'moved: its program continues on the other CPU' moved

# One space under two PCIDs: a fault under the one shows what a fault under the other has brought. And more faults wait at
# once than the hypervisor has places for.
run pcid 1 pcid
exact 'pcid: all branches equal the truth' pcid
run many 1 many
exact 'many: all branches equal the truth' many

# While a fault is deferred, another CPU maps something else there: since when the page found later was mapped is
# unknown.
run unknown 2 'cpus=2 unknown'
same 'unknown: it is not known what one address led to' "$(not_known unknown 0) $(not_known unknown 1)" '1 0'
same 'unknown: else all is right' "$(jq '.intervals - .equal_intervals' "$work/unknown/verify.json")" 1

# One CPU's page becomes another page on the other CPU, whose fault makes the first CPU record its position.
run handed 2 'cpus=2 handed'
exact 'handed: all branches equal the truth' handed

# A page that both CPUs run becomes another one. The one that has not mapped it has exited since for something else.
run taken 2 'cpus=2 taken'
exact 'taken: all branches equal the truth' taken

# What is mapped without a fault, and was executed elsewhere, is known from the scan on that follows when the program has been
# quiet for a while. Before it is not: another page may have been there in between, and in "replaced" one was.
for boot in populated replaced; do
    run $boot 1 "populated ${boot#populated}"
done
same 'populated: it is not known before the scan of the space' "$(not_known populated 0)" 1
one_hole 'populated: else all is decoded, and right' populated
# The second time: from when on the page was another one.
same 'replaced: nor what was replaced, until the next scan' "$(not_known replaced 0)" 2
at_most 'replaced: intervals that differ: each has its error' \
    "$(jq '.intervals - .equal_intervals' "$work/replaced/verify.json")" "$(grep -c 'no memory mapped' "$work/replaced/verify.log")"

# NMIs are not blocked while a page is being mapped, although an exit at the handler's IRET is awaited.
run nmis 1 nmis
exact 'nmis: all branches equal the truth' nmis

# Scans of very many tables are done in parts.
run aliased 1 aliased
exact 'aliased: all branches equal the truth' aliased

# A space ends, and another one begins in its tables, which are a copy: records of an address of the first one do not
# hold for the second, which runs there without a fault.
run copied 1 copied
same 'copied: what the ended space had there is not taken for it' "$(not_known copied 0)" 1
one_hole 'copied: else all is decoded, and right' copied

# A program unmaps so much that an entry of its uppermost table is cleared, as one does with a heap of a garbage collector's: its space has
# not ended. It does later, and that is noticed all the same.
run parted 1 parted
exact 'parted: all branches equal the truth' parted
run ends 1 'parted copied'
# A hole that contains a PSB is reported twice.
holes=$(not_known ends 0)
same 'ends: what the ended space had there is not taken for the next one' "$([ "$holes" = 1 ] || [ "$holes" = 2 ] && echo yes)" yes
one_hole 'ends: else all is decoded, and right' ends

# A page that is mapped, executed and unmapped at once, where it has been executed before: nothing exits but the handler's return.
run quick 1 quick
exact 'quick: all branches equal the truth' quick

# What cannot be known: which of two pages it is for a child that never faults. There the decoder stops, and names the place.
run doubtful 1 doubtful
same 'doubtful: it is not known what one address led to' "$(not_known doubtful 0)" 1
one_hole 'doubtful: else all is decoded, and right' doubtful

# Nor when a CPU runs a page that another CPU has just remapped, before its own next record.
run both 2 'cpus=2 both'
same 'both: it is not known what one address led to, on the CPU that did not map it' "$(not_known both 0) $(not_known both 1)" '0 1'
same 'both: the CPU that mapped it is exact' "$(jq '.cpus[0] | .branches - .matched' "$work/both/verify.json")" 0
# A PSB may lie in the time before that record: then it is in two intervals.
same 'both: on the other all intervals are right but those that have an error there' \
    "$(jq '.cpus[1] | (.intervals - .equal_intervals == .decode_errors), .decode_errors <= 2' "$work/both/verify.json" | tr '\n' ' ')" 'true true '
done_testing
