#!/bin/bash
# Soft PT under KVM: a whole system at full speed, but for a range of its kernel, which is stepped. Every branch in it is as the
# emulated CPU took it.
. tests/nested/lib.sh

from=0xffffffff81200000 upto=0xffffffff81200fff
image range build/guest/unpacked build/guest/initrd "$CMDLINE $short_boot mitigations=off nokaslr" "pt.range0=filter:$from-$upto"
BRANCHES=$from-$upto check 'a Linux with KVM runs in the emulator' nested range:1
powered_off range 1 'init: done'
# Only branches: an interrupt that comes where the range is entered, before anything of it is executed, is not seen.
branches() { awk '$2 < "ffffffff81c00000" { print $1 }'; } # the kernel's entry text follows
decoded range.1 0 | branches >"$work/range"
listed | branches >"$work/taken"
check "Debian: every branch of the range is what was decoded ($(wc -l <"$work/range"))" cmp "$work/range" "$work/taken"
same 'and there are some' "$([ "$(wc -l <"$work/range")" -gt 100 ] && echo yes)" yes
done_testing
