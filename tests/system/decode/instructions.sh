#!/bin/bash
# The instruction decoder against Zydis: random bytes with fixed seeds, and the code of this machine: C library, compiler,
# shell, Debian's kernel. Whatever Zydis accepts must have the same length, kind and target, in all modes.
#
# usage: instructions.sh     from the environment: RANDOM_SEEDS (1 2), RANDOM_COUNT for each seed and mode (1500000)
. tests/system/lib.sh

agrees=build/tools/instructions_agree

# agree NAME AT_LEAST ARGUMENT...: no difference among so many instructions at least.
agree() {
    local name=$1 at_least=$2 log agreed
    shift 2
    log=$work/log.$test_count
    if ! "$agrees" "$@" >"$log" 2>&1; then
        fail "$name" "$(head -n 30 "$log")"
        return
    fi
    agreed=$(awk '/^total:/ { print $4 }' "$log")
    check "$name ($agreed instructions)" test "$agreed" -ge "$at_least"
}

# unpack BZIMAGE: the ELF file in it. Linux boot protocol: setup_sects, payload_offset, payload_length; after the
# compressed bytes comes the size of the unpacked ones.
unpack() {
    local sectors offset length
    sectors=$(od -An -tu1 -j $((0x1F1)) -N 1 "$1")
    offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
    length=$(od -An -tu4 -j $((0x24C)) -N 4 "$1")
    tail -c +$(((sectors + 1) * 512 + offset + 1)) "$1" | head -c $((length - 4)) | xz -dc
}

count=${RANDOM_COUNT:-1500000}
for seed in ${RANDOM_SEEDS:-1 2}; do
    agree "random bytes, seed $seed" $((count * 2)) random "$seed" "$count"
done
agree 'C library and shell' 1000000 sweep "$(gcc -print-file-name=libc.so.6)" "$(command -v bash)"
agree 'compiler' 5000000 sweep "$(gcc -print-prog-name=cc1)"

kernel=${KERNEL:-build/guest/vmlinuz}
if unpack "$kernel" >"$work/vmlinux" 2>"$work/unpack.log"; then
    agree 'kernel' 5000000 sweep "$work/vmlinux"
    rm -f "$work/vmlinux"
else
    skip 'kernel' "$kernel is not packed by xz, or not there"
fi
done_testing
