#!/bin/bash
# A bzImage with the same kernel as another one, unpacked already. Unpacking takes the emulator as long as all the rest of a
# boot, and is the same in each: tests/system/linux/debian.sh and others do it, those that are about something else need not.
#
# usage: unpacked.sh VMLINUZ OUTPUT [MOVED]     MOVED: bytes by which the kernel's virtual addresses are moved, as KASLR does
#                                               (0: it stays where it was linked)
set -eu

vmlinuz=$1 output=$2 moved=${3:-0}
here=$(dirname "$0")/unpacked
work=$(mktemp -d "$output.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# number OFFSET BYTES: of the kernel's boot header.
number() {
    od -An -v -t "u$2" -j $(($1)) -N "$2" "$vmlinuz" | tr -d ' '
}
begin=$((($(number 0x1f1 1) + 1) * 512 + $(number 0x248 4)))
size=$(($(number 0x24c 4) - 4)) # the unpacked size follows
payload() {
    tail -c +$((begin + 1)) "$vmlinuz" | head -c "$size"
}
case $(payload | od -An -t x1 -N 4 | tr -d ' ') in
fd377a58) unpack=(xz -dc) ;;
28b52ffd) unpack=(zstd -dcq) ;;
1f8b*) unpack=(gzip -dc) ;;
02214c18) unpack=(lz4 -dcq) ;;
*)
    echo "unpacked: how $vmlinuz is packed is not known" >&2
    exit 1
    ;;
esac
payload | "${unpack[@]}" >"$work/vmlinux"

gcc -c -o "$work/start.o" "$here/start.S"
"${LD:-ld}" -nostdlib -static --build-id=none --no-warn-rwx-segments -z max-page-size=4096 -T "$here/start.ld" -o "$work/start.elf" "$work/start.o"
objcopy -O binary "$work/start.elf" "$work/start"
gcc -std=c11 -O2 -Wall -Wextra -Werror -o "$work/pack" "$here/pack.c"
"$work/pack" "$work/start" "$work/vmlinux" "$moved" "$work/image"
mv "$work/image" "$output"
