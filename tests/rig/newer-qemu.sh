#!/bin/bash
# A QEMU with the card igb (82576), which came with 8.0: this machine's, or that of Debian's backports, unpacked and not installed.
#
# usage: newer-qemu.sh DIR       prints the program and the words that belong before all others; DIR keeps what was downloaded
#
# Exit status: 0; 1 there is none, and why on standard error
set -eu
. tests/rig/apt_lib.sh

mkdir -p "$1"
dir=$(cd "$1" && pwd)
program=$dir/unpacked/usr/bin/qemu-system-x86_64

has_igb() {
    "$1" -device igb,help 2>/dev/null | grep -q '^igb options'
}

fetch() {
    local package
    apt_of "$dir" "$(. /etc/os-release && echo "$VERSION_CODENAME")-backports"
    (cd "$dir" && apt-get download -qq qemu-system-x86 qemu-system-common qemu-system-data seabios)
    for package in "$dir"/*.deb; do dpkg-deb -x "$package" "$dir/unpacked"; done
    rm -f "$dir"/*.deb
}

if has_igb qemu-system-x86_64; then
    echo qemu-system-x86_64
    exit
fi
has_igb "$program" || fetch >"$dir/log" 2>&1 || {
    echo "newer-qemu: backports' QEMU cannot be fetched: $(tail -n 1 "$dir/log")" >&2
    exit 1
}
has_igb "$program" || {
    echo "newer-qemu: $program does not run, or has no igb" >&2
    exit 1
}
echo "$program -L $dir/unpacked/usr/share/qemu -L $dir/unpacked/usr/share/seabios -L /usr/share/qemu -L /usr/share/seabios"
