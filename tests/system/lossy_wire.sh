#!/bin/bash
# A wire that drops, duplicates and reorders datagrams loses nothing.
. tests/system/lib.sh

WIRE='drop=5 seed=1' check 'a wire that drops' boot_guest drop load 'channel=e1000'
exact 'drop: decoded branches equal the truth' drop
WIRE='reorder=10 duplicate=10 seed=2' check 'a wire that reorders and duplicates' boot_guest reorder load 'channel=e1000'
exact 'reorder: decoded branches equal the truth' reorder
WIRE='corrupt=5 seed=3' check 'a wire that corrupts' boot_guest corrupt branches 'channel=e1000'
exact 'corrupt: decoded branches equal the truth' corrupt
done_testing
