#!/bin/bash
# A vmlinux with lines of sources, made of the kernel's pages that a capture has: the same code at the addresses that it was linked
# for, and DWARF that gives each 64 bytes a line of their own. This avoids the download of a gigabyte of debug
# information.
#
# usage: vmlinux.sh CODE.elf MOVED OUT      CODE.elf: of `undertrace code`, with the kernel moved by MOVED
set -eu

code=$1 moved=$2 out=$3
source=$out.s

# Offset, address and size of what the file has of the kernel, which lies below its modules.
pages() {
    readelf -lW "$code" | awk '$1 == "LOAD" && $3 ~ /^0xffffffff[89ab]/ { print $2, $3, $5 }' | sort -k 2
}
base=$(pages | awk '{ print $2; exit }')

{
    cat <<'END'
    .section .debug_abbrev, "", @progbits
abbrev: .uleb128 1, 0x11            # DW_TAG_compile_unit, without children
    .byte 0
    .uleb128 0x03, 0x08, 0x10, 0x17 # name: string; stmt_list: sec_offset
    .uleb128 0x11, 0x01, 0x12, 0x07 # low_pc: addr; high_pc: data8
    .byte 0, 0, 0
    .section .debug_info, "", @progbits
info: .long info_end - info_begin
info_begin: .value 4
    .long abbrev
    .byte 8
    .uleb128 1
    .string "kernel.c"
    .long lines
    .quad text, text_end - text
info_end:
    .section .debug_aranges, "", @progbits
    .long ranges_end - ranges
ranges: .value 2
    .long info
    .byte 8, 0, 0, 0, 0, 0
    .quad text, text_end - text, 0, 0
ranges_end:
    .section .debug_line, "", @progbits
lines:
    .text
    .file 1 "kernel.c"
    .loc_mark_labels 1
text:
END
    pages | while read -r offset address size; do
        echo "$((offset)) $((address - base)) $((size))"
    done | awk -v code="$code" '{ for (i = 0; i < $3; i += 64)
        printf " .org %d\n .loc 1 %d\nL%d: .incbin \"%s\", %d, 64\n", $2 + i, ($2 + i) / 64 + 1, $2 + i, code, $1 + i }'
    echo 'text_end:'
} >"$source"
as -o "$out.o" "$source"
ld -z max-page-size=4096 -Ttext="$(printf '%#x' $((base - moved)))" -e 0 -o "$out" "$out.o"
rm "$source" "$out.o"
