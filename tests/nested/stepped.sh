#!/bin/bash
# Under KVM there is no Intel PT: single steps make the trace, and every branch in it is as the emulated CPU took it.
. tests/nested/lib.sh

# The emulator lists what is executed in VMX non-root operation where these guests are, one after the other; nothing
# else runs in that mode.
image soft build/guests/selfmod.bzImage '' '' ''
image pair build/guests/smp.bzImage '' 'cpus=2 rounds=40 small' ''
BRANCHES=0x1000000-0x103ffff check 'a Linux with KVM runs in the emulator' nested soft:1,pair:2

powered_off soft 1 'selfmod: ok'
console_has 'it is said why' soft.1 'tracing by single-stepping'
decoded soft.1 0 >"$work/selfmod"
number=$(wc -l <"$work/selfmod")
listed | head -n "$number" >"$work/taken"
check "selfmod: every branch is what was decoded ($number)" cmp "$work/selfmod" "$work/taken"
same 'and there are some' "$([ "$number" -gt 1000 ] && echo yes)" yes

# Two virtual CPUs are two threads on one emulated CPU, whose list has now this one's branches, now the other's.
# interleaved FIRST SECOND BOTH: BOTH is these two, each in its order. Where both could have come next, each is tried.
interleaved() {
    awk 'FILENAME == ARGV[1] { first[FNR] = $0; n = FNR; next }
        FILENAME == ARGV[2] { second[FNR] = $0; m = FNR; next }
        FNR == 1 { ways = 1; at[0] = 0 } # how much of FIRST may have come
        {
            found = 0
            for (way = 0; way < ways; way++) {
                i = at[way]
                if (second[FNR - i] == $0 && !(found && to[found - 1] == i)) to[found++] = i
                if (first[i + 1] == $0) to[found++] = i + 1
            }
            if (!found) { print "branch " FNR ", " $0 ": neither the first one'"'"'s next, " first[at[0] + 1] ", nor the second one'"'"'s, " second[FNR - at[0]]; exit }
            for (way = 0; way < found; way++) at[way] = to[way]
            ways = found
        }
        END { if (found && FNR != n + m) { print FNR " branches were taken, " n " and " m " decoded"; found = 0 }
            exit !found }' "$@"
}
powered_off pair 2 'smp: ok'
listed | tail -n "+$((number + 1))" >"$work/taken"
for cpu in 0 1; do # the page where CPU 1 starts is not in the list
    decoded pair.2 $cpu | awk '$1 >= "0000000001000000" && $1 <= "000000000103ffff"' >"$work/pair$cpu"
done
check "smp: every branch of two CPUs is what was decoded ($(wc -l <"$work/pair0") and $(wc -l <"$work/pair1"))" \
    interleaved "$work/pair0" "$work/pair1" "$work/taken"
same 'and there are some of both' "$([ "$(wc -l <"$work/pair0")" -gt 1000 ] && [ "$(wc -l <"$work/pair1")" -gt 1000 ] && echo yes)" yes
done_testing
