#!/bin/bash
# Make an initrd of this machine's own Debian programs and tests/rig/userland/init.
#
# usage: userland.sh OUTPUT
set -eu
umask 022

output=$1
here=$(dirname "$0")/userland
programs='sh bash mount find sort wc cut sed tr expr printf perl awk grep gzip gunzip md5sum cat sleep sync rm head'

fail() {
    echo "userland: $*" >&2
    exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{dev,proc,sys,tmp,usr/bin,usr/lib,usr/lib64}
for link in bin lib lib64; do ln -s "usr/$link" "$root/$link"; done # as Debian's own root directory

# put FILE: with what it is linked to. gunzip is a script.
put() {
    local library
    install -D -m 755 "$1" "$root/$1"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
        [ -e "$root$library" ] || install -D -m 755 "$library" "$root$library"
    done
}
for program in $programs; do
    file=$(PATH=/usr/bin:/bin type -P "$program") || fail "this machine has no $program"
    put "/usr/bin/${file##*/}"
done
for which in 1 2; do
    name=$(echo _ab | cut -c$((which + 1)))
    ${CC:-gcc} -O2 -no-pie -DWHICH=$which -o "$root/usr/bin/fixed-$name" "$here/fixed.c"
done
install -m 755 "$here/init" "$root/init"
find "$root" -exec touch -h -d @0 {} +

mkdir -p "$(dirname "$output")"
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) | gzip -6n >"$output.new"
mv "$output.new" "$output"
