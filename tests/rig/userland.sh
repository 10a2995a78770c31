#!/bin/bash
# Make an initrd of this machine's own Debian programs and the stories of tests/rig/userland.
#
# usage: userland.sh OUTPUT
set -eu
umask 022

output=$1
here=$(dirname "$0")/userland
programs='sh bash mount umount find sort wc cut sed tr expr printf perl awk grep gzip gunzip md5sum cat sleep sync rm head true
    mkdir dd dmesg nproc taskset losetup busybox'
stories='programs storm hotplug modules names'

fail() {
    echo "userland: $*" >&2
    exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{dev,proc,sys,tmp,stories,usr/bin,usr/sbin,usr/lib,usr/lib64}
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done # as Debian's own root directory

# put FILE: with what it is linked to. gunzip is a script.
put() {
    local library
    install -D -m 755 "$1" "$root/$1"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
        [ -e "$root$library" ] || install -D -m 755 "$library" "$root$library"
    done
}
for program in $programs; do
    file=$(PATH=/usr/bin:/usr/sbin:/bin:/sbin type -P "$program") || fail "this machine has no $program"
    put "/usr/${file#/usr/}"
done
for which in 1 2; do
    name=$(echo _ab | cut -c$((which + 1)))
    ${CC:-gcc} -O2 -no-pie -DWHICH=$which -o "$root/usr/bin/fixed-$name" "$here/fixed.c"
done
for program in forks filters populated threads; do
    ${CC:-gcc} -O2 -pthread -o "$root/usr/bin/$program" "$here/$program.c" -lm
done
install -m 755 "$here/init" "$root/init"
for story in $stories; do install -m 755 "$here/$story" "$root/stories/$story"; done
find "$root" -exec touch -h -d @0 {} +

mkdir -p "$(dirname "$output")"
# Not compressed: GRUB would decompress it, ten times slower than it reads; and of two compressed archives it takes only the first.
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) >"$output.new"
mv "$output.new" "$output"
