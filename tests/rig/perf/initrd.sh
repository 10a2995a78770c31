#!/bin/sh
# Make an initrd of busybox, this machine's perf with its libraries, and the program that perf traces.
#
# usage: initrd.sh WORKLOAD ROOT OUTPUT [WORKLOAD2]     ROOT receives the tree, for perf's --symfs
set -eu
umask 022

workload=$1
root=$2
output=$3
here=$(dirname "$0")
perf=$(command -v perf)
busybox=/bin/busybox
[ -x "$busybox" ] || busybox=/usr/bin/busybox

rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/usr/bin"
cp "$busybox" "$root/bin/busybox"
cp "$perf" "$root/usr/bin/perf"
cp "$workload" "$root/bin/workload"
[ $# -lt 4 ] || cp "$4" "$root/bin/workload2"
cp "$here/init" "$root/init"
chmod 755 "$root/init" "$root/bin/"* "$root/usr/bin/perf"
# "NAME => FILE (ADDRESS)" and "LOADER (ADDRESS)".
ldd "$perf" | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done
find "$root" -exec touch -h -d @0 {} +
# lz4 is what an emulated CPU unpacks fastest.
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) | lz4 -l -9 >"$output.new"
mv "$output.new" "$output"
