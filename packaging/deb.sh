#!/bin/bash
# Build the Debian packages of this tree with Debian's tools, in a copy of the tree. The build is reproducible.
#
# usage: deb.sh OUTPUT      a directory, emptied first; it receives the packages, and the build's output in OUTPUT/log
set -eu

output=$(realpath -m "$1")
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)
copy=$output/undertrace-$version

rm -rf "$output"
mkdir -p "$copy"
{ git ls-files -z -co --exclude-standard 2>/dev/null || find . -name build -prune -o -type f -print0; } |
    tar -c --null --no-recursion -T - | tar -x -C "$copy"
cp -a packaging/debian "$copy/debian"

# The variables of a make that runs this script must not reach the inner make.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD
if ! (cd "$copy" && exec dpkg-buildpackage -b -us -uc) >"$output/log" 2>&1; then
    tail -n 20 "$output/log" >&2
    echo "deb: dpkg-buildpackage failed; its output is in $output/log" >&2
    exit 1
fi
rm -rf "$copy"
ls "$output"/*.deb
