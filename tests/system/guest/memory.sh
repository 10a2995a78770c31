#!/bin/bash
# Memory above 4 GiB, ending where it likes: the guest uses its pages, runs code there, and reads beyond its end.
. tests/system/lib.sh

for size in 4609 5000 5120; do # within a page of 2 MiB, between two GiBs, and at the end of one
    MEMORY=$size check "$size MiB: high runs to power-off" boot_guest "$size" high 'channel=e1000'
    console_has "$size MiB: all of it is there" "$size" "high: memory ends at MiB $size"
    console_has "$size MiB: and is as without us" "$size" 'high: ok'
    exact "$size MiB: decoded branches equal the truth" "$size"
done

# More ranges than boot_params has room for, as servers may have: GRUB takes 150 pages out, 128 KiB apart.
FIRST=$(for ((i = 0; i < 150; i++)); do printf 'cutmem 0x%x 0x%x\n' $((0x10000000 + i * 0x20000)) $((0x10001000 + i * 0x20000)); done)
export FIRST
# As far as the kernel's first lines, which list the map.
UNTIL='Memory: ' check 'Debian with a map of many ranges' boot ranges build/guest/moved '' "$CMDLINE" 'pt=off channel=net'
tr -d '\r' <"$work/ranges/console.txt" >"$work/console"
same 'boot_params has as many as it can' "$(grep -c 'BIOS-e820: ' "$work/console")" 128
check 'the kernel has found the others, after the last page' grep -q 'reserve setup_data: \[mem 0x00000000112a1000-.* usable' "$work/console"
ours=$(sed -n 's/^undertrace: reserved memory: \([0-9a-f]*\) to .*/\1/p' "$work/console")
check 'and that one is ours' grep -q "reserve setup_data: \[mem 0x00000000$ours-.* reserved" "$work/console"
done_testing
