#!/bin/bash
# `undertrace decode` against decoders that others wrote. libipt's, with the same interface (tests/judge/). And perf's:
# it follows the guest's flow through the same trace, by the guest's image instead of the pages that came with the
# trace, and to the same instructions. Root is not traced: perf has no image of it.
. tests/system/lib.sh
# shellcheck disable=SC2034 # for perf.sh
out=build/tools
. tests/model/perf.sh

# The address of a symbol of the guest in $1.
symbol() {
    nm "$1" | awk -v name="$2" '$3 == name { print $1 }'
}

# What perf must find: the branches of $work/NAME.list are NAME.truth, and of $work/NAME.insn NAME.instructions.
hexadecimal() {
    awk '/^[0-9a-f]+( [0-9a-f]+)?$/' | sed -E 's/(^| )0{1,15}/\1/g'
}

agrees() {
    local guest=$1 elf=build/guests/$1.elf capture=$work/$1/capture start
    check "$guest runs" boot_guest "$guest" "$guest" 'channel=e1000 net.mtu=9000 pt.switch=list'
    exact "$guest: decoded branches equal the truth" "$guest"
    start=$(symbol "$elf" start32)
    objcopy -O binary -j .text -j .rodata -j .data "$elf" "$work/$guest.bin"
    objcopy -I binary -O elf32-i386 "$work/$guest.bin" "$work/$guest.o"
    build/undertrace decode "$capture" --branches - 2>/dev/null | hexadecimal >"$work/$guest.truth"
    check "$guest: libipt decodes it to the same branches" \
        cmp "$work/$guest.truth" <(build/undertrace-judge --engine=libipt decode "$capture" --branches - 2>/dev/null | hexadecimal)
    build/undertrace decode "$capture" --instructions - 2>/dev/null | hexadecimal >"$work/$guest.instructions"
    cp "$capture/cpu0.pt" "$work/$guest.pt"
    check "$guest: perf decodes it" perf_decodes "$work/$guest" "$work/$guest.bin" "0x$start" 0 \
        "code32=$start-$(printf %x $((0x$(symbol "$elf" start64) - 1))):$work/$guest.o"
    same "$guest: to the same $(wc -l <"$work/$guest.truth") branches and $(wc -l <"$work/$guest.instructions") instructions" \
        "$(perf_differences "$work/$guest" | head -n 9)" ''
    rm -f "$work/$guest.script" # a hundred megabytes
}

if ! command -v perf >/dev/null; then
    skip 'perf decodes the guest' 'perf is not installed (linux-perf)'
    done_testing
fi
for guest in branches exits spaces; do
    agrees "$guest"
done
done_testing
