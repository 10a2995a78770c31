#!/bin/bash
# The PT model by itself: its test ROM's trace, decoded by libipt, is what the emulated CPU did. With and without a late PMI.
. tests/system/lib.sh

export OUT=$work/selftest # two scripts may run beside each other

check 'the test ROM decodes to its branches' tests/model/selftest/run.sh build
check 'and so it does when the PMI comes late' tests/model/selftest/run.sh build skid=700 seed=3

# Two runs with the same seed: the same bytes, whatever the PMIs' skid and their seconds.
check 'and when each PMI is followed by a second one' tests/model/selftest/run.sh build skid=700 second=400 seed=5
cp "$OUT/trace.bin" "$work/first.bin"
check 'once more with the same seed' tests/model/selftest/run.sh build skid=700 second=400 seed=5
check 'gives the identical trace' cmp "$work/first.bin" "$OUT/trace.bin"

# Two CPUs that trace at once, with time packets, late PMIs and seconds.
smp() {
    CTL=0x202 MTCFREQ=0 tests/model/selftest/smp.sh build skid=300 second=200 seed=4
}
check 'two CPUs: each trace decodes to the branches of its CPU, and its time is in order' smp
cp -r "$OUT/smp" "$work/smp"
check 'two CPUs once more with the same seed' smp
for file in trace.bin trace.bin.cpu1 truth.bin; do
    check "gives the identical $file" cmp "$work/smp/$file" "$OUT/smp/$file"
done
done_testing
