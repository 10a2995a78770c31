#!/bin/bash
# Make the Linux that has KVM: an initrd with KVM's modules and a disk's driver, and a disk with this machine's own Debian
# programs, QEMU among them, the host tool, and the images to boot.
#
# usage: linux.sh MODULES INITRD DISK FILE...      MODULES: an archive (tests/rig/kernel.sh). FILEs: images, and the options that
#                                                  are on them: tests/nested/boots
set -eu
umask 022

modules=$1 initrd=$2 disk=$3
shift 3
here=$(dirname "$0")
programs='sh bash mount cat sed grep awk tail head tr cut stat sleep sync rm mkdir mkfifo seq dmesg tar busybox
    qemu-system-x86_64'
# What QEMU reads of a PC with a standard screen and no boot ROM of the network card's.
firmware='/usr/share/seabios/bios-256k.bin /usr/share/seabios/vgabios-stdvga.bin /usr/share/qemu/kvmvapic.bin'
cylinder=516096 nr_cylinders=320

fail() {
    echo "nested: $*" >&2
    exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/first/{dev,proc,sys,tmp,usr} "$root"/disk/{images,build}
for where in bin sbin lib lib64; do # as in Debian's own root directory
    mkdir -p "$root/disk/usr/$where"
    ln -s "usr/$where" "$root/first/$where"
    ln -s "usr/$where" "$root/disk/$where"
done

# path PROGRAM: where it is, under /usr.
path() {
    local file
    file=$(PATH=/usr/bin:/usr/sbin:/bin:/sbin type -P "$1") || fail "this machine has no $1"
    echo "/usr/${file#/usr/}"
}

# put FILE [AS]: with what it is linked to.
put() {
    local library
    install -D -m 755 "$1" "$root/disk/${2:-$1}"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
        [ -e "$root/disk$library" ] || install -D -m 755 "$library" "$root/disk$library"
    done
}

install -D -m 755 "$(path busybox)" "$root/first/usr/bin/busybox"
install -m 755 "$here/init" "$root/first/init"
(cd "$root/first" && cpio --quiet -id) <"$modules"
find "$root/first" -exec touch -h -d @0 {} +
mkdir -p "$(dirname "$initrd")"
# Not packed: GRUB would unpack it, ten times slower than it reads.
(cd "$root/first" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) >"$initrd"

for program in $programs; do put "$(path "$program")"; done
for file in $firmware; do
    [ -r "$file" ] || fail "this machine has no $file"
    install -D -m 644 "$file" "$root/disk/usr/share/qemu/${file##*/}"
done
put "${BUILD:-build}/undertrace" build/undertrace
install -m 755 "$here/../rig/run-kvm.sh" "$here/boots" "$root/disk"
install -m 755 "$@" "$root/disk/images"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$root/disk" -cf "$disk" boots build images run-kvm.sh usr
[ "$(stat -c %s "$disk")" -lt $((nr_cylinders * cylinder)) ] || fail "$disk is too large: $(stat -c %s "$disk") bytes"
truncate -s $((nr_cylinders * cylinder)) "$disk"
