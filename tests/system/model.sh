#!/bin/bash
# The PT model alone: its test ROM's trace, decoded by libipt, is what the emulated CPU did. With and without a late PMI.
. tests/system/lib.sh

check 'the test ROM decodes to its branches' tests/model/selftest/run.sh build
check 'and so it does when the PMI comes late' tests/model/selftest/run.sh build skid=700 seed=3

# Two runs with the same seed: the same bytes, whatever the PMIs' skid and their seconds.
check 'and when each PMI is followed by a second one' tests/model/selftest/run.sh build skid=700 second=400 seed=5
cp build/model/selftest/trace.bin "$work/first.bin"
check 'once more with the same seed' tests/model/selftest/run.sh build skid=700 second=400 seed=5
check 'gives the identical trace' cmp "$work/first.bin" build/model/selftest/trace.bin
done_testing
