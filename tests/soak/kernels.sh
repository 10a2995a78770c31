#!/bin/bash
# Debian's other kernels of this release, 64-bit and 32-bit, and the newest ones there are, of sid: each boots to power-off, and all
# that it executed is what was decoded.
#
# By itself, from the top: tests/soak/kernels.sh [PACKAGE | RELEASE/PACKAGE]...
packages=${*:-linux-image-cloud-amd64 linux-image-rt-amd64 linux-image-6.12-amd64 linux-image-6.12-cloud-amd64 \
    linux-image-6.12-rt-amd64 linux-image-686-pae linux-image-686 \
    sid/linux-image-amd64 sid/linux-image-rt-amd64 sid/linux-image-cloud-amd64}
WORK=${WORK:-build/soak/kernels}
. tests/system/lib.sh
. tests/rig/apt_lib.sh

# download DIR PACKAGE: the package's only file, unpacked in DIR.
download() {
    mkdir -p "$1" && (cd "$1" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$2") && dpkg-deb -x "$1"/*.deb "$1"
}

# needs PACKAGE PATTERN: the package of a name like that which it depends on; itself if there is none.
needs() {
    local found
    found=$(apt-cache show --no-all-versions "$1" | sed -n 's/^Depends: //p' | tr ',' '\n' | grep -o -m 1 "$2")
    echo "${found:-$1}"
}

# fetch DIR PACKAGE: the kernel that the package depends on, as DIR/vmlinuz, and an initrd for it, as DIR/initrd. Since 7.0 the
# kernel itself is in a package linux-binary-....
fetch() {
    local package=${2#*/}
    mkdir -p "$1" && cp build/guest/initrd "$1/initrd" || return 1
    case $2 in
    */*) apt_of "$(realpath "$1")" "${2%%/*}" || return 1 ;;
    *-686*)
        apt_of "$(realpath "$1")" "$(. /etc/os-release && echo "$VERSION_CODENAME")" i386 && download "$1/busybox" busybox-static &&
            BUSYBOX=$(find "$1/busybox" -name busybox -type f -perm -1) tests/rig/initrd.sh "$1/initrd" || return 1
        ;;
    esac
    download "$1/image" "$(needs "$(needs "$package" 'linux-image-[0-9][^ ]*')" 'linux-binary-[0-9][^ ]*')" &&
        find "$1/image" -name 'vmlinuz*' -type f -exec mv {} "$1/vmlinuz" \; && [ -s "$1/vmlinuz" ] && rm -rf "$1/image"
}

for package in $packages; do
    name=${package//\//-}
    name=${name/linux-image-/}
    if ! (fetch "$work/$name.files" "$package") >"$work/$name.log" 2>&1; then
        skip "$name: boots to power-off" "apt cannot fetch it: $(tail -n 1 "$work/$name.log")"
        continue
    fi
    check "$name: boots to power-off" boot "$name" "$work/$name.files/vmlinuz" "$work/$name.files/initrd" "$CMDLINE" \
        'channel=e1000 net.mtu=9000'
    console_has "$name: its workload is done" "$name" 'init: done'
    same "$name: no gap" "$(gaps "$name" true)" 0
    exact "$name: what it executed is what was decoded" "$name"
    clean_log "$name"
    rm -rf "$work/$name.files" "$work/$name/capture"
done
done_testing
