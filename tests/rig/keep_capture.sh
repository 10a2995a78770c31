#!/bin/bash
# Keep a small capture as this version writes it, for the test that later versions can still read it: before a change of the
# wire's or the capture's format, and with each release.
#
# usage: keep_capture.sh NAME     writes tests/captures/NAME.tar.xz: capture/, truth.bin (what the emulated CPU executed),
#                                 branches.sha256 (of the branches that this version decodes)
set -eu

output=$PWD/tests/captures/$1.tar.xz
work=build/keep_capture
rm -rf "$work"
mkdir -p "$work"
PLATFORM=i386-pc ELF=build/undertrace.elf KERNEL=build/guests/spaces.bzImage INITRD='' CMDLINE='' OPTIONS=channel=uart \
    tests/rig/iso.sh "$work/boot.iso"
MEMORY=256 CHANNEL=uart ISO=$work/boot.iso tests/rig/boot.sh "$work/boot"
cd "$work/boot"
../../undertrace decode capture --branches branches.list >/dev/null
sha256sum branches.list >branches.sha256
rm -f capture/index.*
tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=r,a+X --mtime=@0 capture truth.bin branches.sha256 | xz -9 >"$output"
rm -rf "../../../$work"
ls -l "$output"
