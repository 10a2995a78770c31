#!/bin/bash
# Make the initrd of the Linux that has KVM: this machine's own Debian programs, QEMU among them, the host tool, and images to boot.
#
# usage: initrd.sh OUTPUT MODULES IMAGE.iso...      MODULES: the modules of its kernel, an archive; beside each IMAGE.iso stands
#                                                   IMAGE.options
set -eu
umask 022

output=$1 modules=$2
shift 2
here=$(dirname "$0")
programs='sh bash mount cat sed grep tail head tr cut stat sleep sync rm mkdir mkfifo seq tee dmesg tar date awk busybox qemu-system-x86_64'
# What QEMU reads of a PC with a standard screen and no boot ROM of the network card's.
firmware='/usr/share/seabios/bios-256k.bin /usr/share/seabios/vgabios-stdvga.bin /usr/share/qemu/kvmvapic.bin'

fail() {
    echo "nested: $*" >&2
    exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{dev,proc,sys,tmp,isos,build,usr/bin,usr/sbin,usr/lib,usr/lib64}
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done # as Debian's own root directory

# put FILE [AS]: with what it is linked to.
put() {
    local library
    install -D -m 755 "$1" "$root/${2:-$1}"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
        [ -e "$root$library" ] || install -D -m 755 "$library" "$root$library"
    done
}
for program in $programs; do
    file=$(PATH=/usr/bin:/usr/sbin:/bin:/sbin type -P "$program") || fail "this machine has no $program"
    put "/usr/${file#/usr/}"
done
for file in $firmware; do
    [ -r "$file" ] || fail "this machine has no $file"
    install -D -m 644 "$file" "$root/usr/share/qemu/${file##*/}"
done
put "${BUILD:-build}/undertrace" build/undertrace
install -m 755 "$here/../rig/run-kvm.sh" "$root/run-kvm.sh"
install -m 755 "$here/init" "$root/init"
for image; do install -m 644 "$image" "${image%.iso}.options" "$root/isos"; done
(cd "$root" && cpio --quiet -id) <"$modules"
find "$root" -exec touch -h -d @0 {} +

mkdir -p "$(dirname "$output")"
# Not packed: GRUB would unpack it, ten times slower than it reads.
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) >"$output.new"
mv "$output.new" "$output"
