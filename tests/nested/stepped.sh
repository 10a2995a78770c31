#!/bin/bash
# Under KVM there is no Intel PT: single steps make the trace, and every branch in it is as the emulated CPU took it.
. tests/nested/lib.sh

# The emulator lists what is executed in VMX non-root operation where selfmod is; nobody else is there.
image soft build/guests/selfmod.bzImage '' '' ''
BRANCHES=0x1000000-0x101ffff check 'a Linux with KVM runs in the emulator' nested soft:1

listed() {
    od -An -v -t x8 -w16 "$work/linux/branches.bin" | cut -c 2-
}
# decoded BOOT CPU
decoded() {
    build/undertrace decode "$work/$1/capture" --cpu "$2" --branches - 2>"$work/$1/decode.log" | grep -E '^[0-9a-f]{16} '
}

powered_off soft 1 'selfmod: ok'
console_has 'it is said why' soft.1 'single steps make the trace'
decoded soft.1 0 >"$work/selfmod"
listed >"$work/taken"
check "selfmod: every branch is what was decoded ($(wc -l <"$work/selfmod"))" cmp "$work/selfmod" "$work/taken"
same 'and there are some' "$([ "$(wc -l <"$work/selfmod")" -gt 1000 ] && echo yes)" yes

# A whole system, at full speed but for a range of its kernel.
from=0xffffffff81200000 upto=0xffffffff81200fff
image range build/guest/vmlinuz build/guest/initrd "$CMDLINE nokaslr" "pt.range0=filter:$from-$upto"
BRANCHES=$from-$upto check 'a Linux with KVM runs once more' nested range:1
powered_off range 1 'init: done'
# Branches alone: an interrupt that comes where the range is entered, before anything of it is executed, is not seen.
branches() { awk '$2 < "ffffffff81c00000" { print $1 }'; } # behind it is the kernel's entry text
decoded range.1 0 | branches >"$work/range"
listed | branches >"$work/taken"
check "Debian: every branch of the range is what was decoded ($(wc -l <"$work/range"))" cmp "$work/range" "$work/taken"
same 'and there are some' "$([ "$(wc -l <"$work/range")" -gt 100 ] && echo yes)" yes
done_testing
