#!/bin/sh
# Make an initrd of busybox and tests/rig/init. The same inputs give the same bytes.
#
# usage: initrd.sh OUTPUT     from the environment: BUSYBOX, another than this machine's own; INIT, another script
set -eu
umask 022

output=$1
here=$(dirname "$0")
busybox=${BUSYBOX:-/bin/busybox}
[ -x "$busybox" ] || busybox=/usr/bin/busybox
[ -x "$busybox" ] || {
    echo "initrd: no busybox in /bin or /usr/bin; install busybox-static" >&2
    exit 1
}
if ldd "$busybox" >/dev/null 2>&1; then # its libraries would not be there
    echo "initrd: $busybox is linked with libraries; install busybox-static" >&2
    exit 1
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
cp "$busybox" "$root/bin/busybox"
cp "${INIT:-$here/init}" "$root/init"
chmod 755 "$root/init" "$root/bin/busybox"
find "$root" -exec touch -h -d @0 {} +

mkdir -p "$(dirname "$output")"
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) | gzip -9n >"$output.new"
mv "$output.new" "$output"
