#!/bin/bash
# A whole Debian 12 on a disk: initrd, systemd, udev and its modules, multi-user.target, the work of tests/rig/debian/work, and
# the way down; its page, and questions about it. With one CPU, with two, and with so little memory that programs are evicted from
# the page cache and come back from the disk by DMA. What was executed is what was decoded, but where it is said not to be known,
# and nothing is missing.
#
# By itself, from the top: tests/soak/debian.sh [one] [two] [small]
parts=${*:-one two small}
WORK=${WORK:-build/soak/debian} # tests/system/linux/debian.sh has the place that lib.sh would give
. tests/system/lib.sh

debian() {
    local name=$1
    DISK=build/guest/debian.img check "$name: boots to power-off, traced over e1000" \
        boot "$name" build/guest/vmlinuz build/guest/debian.initrd "$CMDLINE root=/dev/sda ro" 'channel=e1000 net.mtu=9000'
    console_has "$name: multi-user.target is reached" "$name" 'multi-user.target'
    console_has "$name: the work is done" "$name" 'debian: done, powering off'
    same "$name: no service failed" "$(grep -ac 'FAILED' "$work/$name/console.txt")" 0
    same "$name: no gap" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$name/capture/meta.json")" 0
    same "$name: no overflow" "$(truth "$name" overflows)" 0
    clean_log "$name"
    at_most "$name: root instructions in thousandths of the guest's" \
        $(($(truth "$name" root_instructions) * 1000 / $(truth "$name" guest_instructions))) 10
    decoded "$name"
}

# What is mapped without a page fault (systemd-shutdown's mlockall), or unmapped before the hypervisor scans it, is unknown: there
# the decoder reports an error and continues at the next PSB (docs/visible.md). Nothing else may differ.
decoded() {
    local dir=$work/$1
    build/undertrace verify "$dir/capture" "$dir/truth.bin" --json "$dir/verify.json" >"$dir/verify.log" 2>&1
    same "$1: each interval that differs has its error" "$(jq .decode_errors "$dir/verify.json")" \
        "$(jq '.intervals - .equal_intervals' "$dir/verify.json")"
    at_most "$1: $(jq '.matched * 100000 / .branches | floor / 1000' "$dir/verify.json") % match; in 1/10000 of the branches that do not" \
        "$(jq '10000 - (.matched * 10000 / .branches | floor)' "$dir/verify.json")" 10
}

# What the page cache did, of the console's line "debian: pages: N read, N evicted, N read again"
pages_at_least() {
    local pages
    pages=$(tr -d '\r' <"$work/$1/console.txt" | sed -n "s/.*debian: pages:.* \([0-9]*\) $2.*/\1/p")
    if [ "${pages:-0}" -ge "$3" ]; then
        pass "$1: pages of files $2: $pages"
    else
        fail "$1: pages of files $2" "are ${pages:-not printed}, should be $3 at least"
    fi
}

# The page of the whole boot, in a browser; and questions: the first one decodes all, and the next ones next to nothing.
seen() {
    local capture=$work/$1/capture first next
    mkdir -p "$work/files"
    tar -C "$work/files" -xf build/guest/debian.tar ./usr/bin ./usr/sbin ./usr/lib
    check "$1: the page of it opens, is small, and shows all" sh -c "WORK='$work/$1.page' PAGE_CAPTURE='$capture' \
        PAGE_OPTIONS='--kernel build/guest/vmlinuz --files $work/files/usr' tests/system/host/page.sh >'$work/$1.page.log'
        ! grep -A 3 '^not ok' '$work/$1.page.log'"
    first=$(user_seconds build/undertrace find "$capture" --kernel build/guest/vmlinuz start_kernel)
    for question in 'find "$capture" vfs_read' 'find "$capture" "vfs_*"' 'find "$capture" --process systemd do_exit' \
        'trace "$capture" --function vfs_read --lines 100' 'trace "$capture" --from run_init_process --to ret_from_fork'; do
        next=$(eval "user_seconds build/undertrace $question --kernel build/guest/vmlinuz")
        at_most "$1: hundredths of the first question's CPU time, for $question" "$(awk -v a="$first" -v b="$next" 'BEGIN { print int(100 * b / a) }')" 8
    done
    rm -rf "$work/files" "$work/$1.page"
}

# Of a command that has an answer: its status is 0, or 2 where parts are not known. Else far too many.
user_seconds() {
    /usr/bin/time -f %U -o "$work/seconds" "$@" >"$work/answer" 2>&1
    case $? in
    0 | 2) tail -n 1 "$work/seconds" ;;
    *) echo 1000000 ;;
    esac
}

for part in $parts; do
    case $part in
    one)
        MEMORY=1024 CPUS=1 debian one
        seen one
        ;;
    two) MEMORY=1024 CPUS=2 debian two ;;
    small)
        MEMORY=256 CPUS=1 debian small
        pages_at_least small evicted 10000
        pages_at_least small 'read again' 1000
        ;;
    esac
done
done_testing
