#!/bin/bash
# What soft PT costs on a CPU without Intel PT: counts of the emulated CPU, which repeat exactly. Micro-guests that are stepped
# completely, one that is stepped in user mode only, and Debian's boot with 4 KiB of its kernel stepped.
set -eu

work=build/bench/soft
rm -rf "$work"
mkdir -p "$work"
export PTMODEL=profile=none QUIET=100 MOST=3000 WIRE='rate=0 latency=0' # no instruction is one of waiting

# boot NAME KERNEL INITRD CMDLINE OPTIONS
boot() {
    ELF=build/undertrace.elf KERNEL=$2 INITRD=$3 CMDLINE=$4 OPTIONS="channel=e1000 net.mtu=9000 $5" tests/rig/iso.sh "$work/$1.iso"
    ISO=$work/$1.iso tests/rig/boot.sh "$work/$1"
    rm "$work/$1.iso"
}
truth() {
    tests/rig/truth.sh "$work/$1/truth.bin" "$2"
}
# per A B: A/B, or "-" where B is 0.
per() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (b == 0) print "-"; else printf "%.1f\n", a / b }'
}
row() {
    local branches steps root
    branches=$(build/undertrace decode "$work/$1/capture" --branches - 2>/dev/null | grep -cE '^[0-9a-f]{16} ')
    steps=$(truth "$1" exit_37) root=$(truth "$1" root_instructions)
    printf '%-34s %14s %12s %12s %12s %12s %14s %14s\n' "$2" "$(truth "$1" guest_instructions)" "$branches" "$steps" \
        "$(truth "$1" exits)" "$(per "$root" "$steps")" "$(per "$root" "$branches")" \
        "$(per $((root * 100)) "$(truth "$1" guest_instructions)")"
}
printf '%-34s %14s %12s %12s %12s %12s %14s %14s\n' '' guest traced steps VM 'root instr.' 'root instr.' 'root instr. in'
printf '%-34s %14s %12s %12s %12s %12s %14s %14s\n' 'soft PT' instructions branches '' exits 'a step' 'a branch' '% of guest'"'"'s'
for guest in exits branches; do
    MEMORY=256 boot $guest build/guests/$guest.bzImage '' '' ''
    row $guest $guest
done
MEMORY=256 boot user build/guests/levels.bzImage '' 'kernel=1000000 user=10000' pt.os=off
row user 'levels, pt.os=off'
from=0xffffffff81200000
MEMORY=512 boot debian build/guest/vmlinuz build/guest/initrd 'console=ttyS0 panic=-1 nokaslr' \
    "pt.range0=filter:$from-$(printf 0x%x $((from + 0xfff)))"
row debian 'Debian, 4 KiB of its kernel'
