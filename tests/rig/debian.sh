#!/bin/bash
# Make a Debian 12 as its installer would, with systemd, udev and the kernel of build/guest, as an archive of its files. The packages
# come from where this machine's own apt fetches Debian's.
#
# usage: debian.sh OUTPUT KERNEL_PACKAGE
#        debian.sh OUTPUT only PACKAGES     the smallest Debian, and these
set -eu

output=$1 kernel=$2
release=bookworm
packages=${3:-systemd,systemd-sysv,udev,kmod,dbus,libpam-systemd,procps,iproute2,zstd,initramfs-tools,e2fsprogs,$kernel}

fail() {
    echo "debian: $*" >&2
    exit 1
}

sources=$(apt-get indextargets --format "\$(CODENAME)|deb \$(SITE) \$(RELEASE) \$(COMPONENT)" \
    'Created-By: Packages' 'Origin: Debian' 'Architecture: amd64' | sed -n "s/^${release}[^|]*|//p" | LC_ALL=C sort -u)
[ -n "$sources" ] || fail "this machine's apt has no Debian 12 ($release); give a disk of your own: DISK=image, with KERNEL= and INITRD="

mkdir -p "$(dirname "$output")"
trap 'rm -f "$output.new" "$output.log"' EXIT
trap 'exit 130' INT TERM
echo 'debian: making a Debian 12, once: some minutes'
# As root, or in a user namespace. One date for all files, so that nothing depends on when this ran.
if ! SOURCE_DATE_EPOCH=1700000000 mmdebstrap --variant=minbase --format=tar --include="$packages" \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$release" "$output.new" - <<<"$sources" >"$output.log" 2>&1; then
    tail -n 20 "$output.log" >&2
    fail "mmdebstrap failed; where $kernel is not to be had any more, remove ${output%/*}/vmlinuz: the next run fetches the newest"
fi
mv "$output.new" "$output"
