#!/bin/bash
# Make the Debian packages of this tree, by Debian's own tools, in a copy of it. The same tree gives the same bytes, wherever.
#
# usage: deb.sh OUTPUT      a directory, emptied first; the packages end up in it, and the build's words in OUTPUT/log
set -eu

output=$(realpath -m "$1")
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)
copy=$output/undertrace-$version

rm -rf "$output"
mkdir -p "$copy"
{ git ls-files -z -co --exclude-standard 2>/dev/null || find . -name build -prune -o -type f -print0; } |
    tar -c --null --no-recursion -T - | tar -x -C "$copy"
cp -a packaging/debian "$copy/debian"

# Nothing of the make that runs this is for the one in there.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD
if ! (cd "$copy" && exec dpkg-buildpackage -b -us -uc) >"$output/log" 2>&1; then
    tail -n 20 "$output/log" >&2
    echo "deb: dpkg-buildpackage failed; all it said is in $output/log" >&2
    exit 1
fi
rm -rf "$copy"
ls "$output"/*.deb
