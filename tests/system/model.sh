#!/bin/bash
# The PT model alone: its test ROM's trace, decoded by libipt, is what the emulated CPU did. With and without a late PMI.
. tests/system/lib.sh

check 'the test ROM decodes to its branches' tests/model/selftest/run.sh build
check 'and so it does when the PMI comes late' tests/model/selftest/run.sh build skid=700 seed=3
done_testing
