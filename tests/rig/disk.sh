#!/bin/bash
# Make the disk of the guest `debian` from what debian.sh made, with tests/rig/debian/work after its boot: one ext4 file
# system without a partition table. Beside it the initrd that Debian's own tools have made for this machine.
#
# usage: disk.sh ARCHIVE OUTPUT.img OUTPUT.initrd
set -eu
umask 022

# The files belong to root and others: without root's rights, fakeroot remembers that for mke2fs.
[ "$(id -u)" -eq 0 ] || exec fakeroot -- "$0" "$@"

archive=$1 image=$2 initrd=$3
here=$(dirname "$0")/debian
uuid=756e6465-7274-4261-8365-000000000001

root=$(mktemp -d "$(dirname "$image")/disk.XXXXXX")
trap 'rm -rf "$root" "$image.new" "$image.log"' EXIT
trap 'exit 130' INT TERM
tar -xf "$archive" -C "$root" --exclude='./dev/*'

# Files whose contents depend on the machine, or would be random.
echo debian >"$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 debian\n' >"$root/etc/hosts"
: >"$root/etc/resolv.conf"
echo "$uuid" | tr -d - >"$root/etc/machine-id"
echo '/dev/sda / ext4 errors=remount-ro 0 1' >"$root/etc/fstab"
install -m 755 "$here/work" "$root/usr/local/sbin/work"
install -m 644 "$here/work.service" "$root/etc/systemd/system/work.service"
# Debian boots to graphical.target, after multi-user.target.
mkdir -p "$root/etc/systemd/system/graphical.target.wants"
ln -s ../work.service "$root/etc/systemd/system/graphical.target.wants/work.service"
find "$root" -newermt @1700000000 -exec touch -h -d @1700000000 {} +

cp "$root"/boot/initrd.img-* "$initrd.new"
E2FSPROGS_FAKE_TIME=1700000000 mke2fs -q -t ext4 -U "$uuid" -E hash_seed="$uuid" -d "$root" "$image.new" 1200M >"$image.log"
mv "$initrd.new" "$initrd"
mv "$image.new" "$image"
