#!/bin/bash
# Print what a boot has sent over the emulated wire: bytes, with Ethernet's preamble, FCS and gaps; or frames.
#
# usage: wire.sh DIR bytes|frames       DIR: that of tests/rig/boot.sh
set -u

line=$(grep '^lockstep: the guest sent ' "$1/emulator.log")
case $2 in
frames) sed 's/.* sent \([0-9]*\) frames.*/\1/' <<<"$line" ;;
bytes) sed 's/.* frames, \([0-9]*\) bytes.*/\1/' <<<"$line" ;;
*)
    echo "wire.sh: what is $2?" >&2
    exit 1
    ;;
esac
