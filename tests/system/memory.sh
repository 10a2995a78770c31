#!/bin/bash
# Memory above 4 GiB, ending where it likes: the guest uses its pages, runs code there, and looks behind its end.
. tests/system/lib.sh

for size in 4609 5000 5120; do # within a page of 2 MiB, between two GiBs, and at the end of one
    MEMORY=$size check "$size MiB: high runs to power-off" boot_guest "$size" high 'channel=e1000'
    console_has "$size MiB: all of it is there" "$size" "high: memory ends at MiB $size"
    console_has "$size MiB: and is as without us" "$size" 'high: ok'
    exact "$size MiB: decoded branches equal the truth" "$size"
done
done_testing
