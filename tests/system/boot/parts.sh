#!/bin/bash
# What is built, without a boot: the image's size, the ISO's two ways to boot, and commands that must say what is wrong.
. tests/system/lib.sh

address() {
    nm build/undertrace.elf | awk -v name="$1" '$3 == name { print $1 }'
}
at_most 'bytes of the image' $((0x$(address image_end) - 0x$(address image_start))) \
    $((0x$(address image_limit) - 0x$(address image_start)))

ELF=build/undertrace.elf KERNEL=build/guests/branches.bzImage INITRD='' CMDLINE='' OPTIONS='' tests/rig/iso.sh "$work/boot.iso"
records=$(xorriso -indev "$work/boot.iso" -report_el_torito plain 2>/dev/null)
same 'the ISO boots by BIOS and by UEFI' \
    "$(grep -c 'El Torito boot img.* BIOS  y' <<<"$records") $(grep -c 'El Torito boot img.* UEFI  y' <<<"$records")" '1 1'
mkdir "$work/again"
ELF=build/undertrace.elf KERNEL=nowhere INITRD='' CMDLINE='' OPTIONS='' tests/rig/iso.sh "$work/none.iso" 2>"$work/iso.log"
same 'an ISO with a kernel that is not there is refused' "$? $(cat "$work/iso.log")" '1 iso: cannot read nowhere'

tests/rig/initrd.sh "$work/initrd"
check 'the initrd has the same bytes each time' cmp "$work/initrd" build/guest/initrd

build/undertrace receive --udp 1 -o "$work/again/x/y" >"$work/receive.log" 2>&1
same 'the receiver refuses a directory that cannot be made, in one line' "$? $(wc -l <"$work/receive.log")" '1 1'
build/undertrace info "$work" >"$work/info.log" 2>&1
same 'what is no capture is refused in one line' "$? $(wc -l <"$work/info.log")" '1 1'
done_testing
