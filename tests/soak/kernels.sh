#!/bin/bash
# Debian's other kernels of this release, 64-bit and 32-bit, the newest that apt has: each boots to power-off, and all that it
# executed is what was decoded. tests/soak/names.sh has those of other releases.
#
# By itself, from the top: tests/soak/kernels.sh [PACKAGE...]
packages=${*:-linux-image-cloud-amd64 linux-image-rt-amd64 linux-image-6.12-amd64 linux-image-6.12-cloud-amd64 \
    linux-image-6.12-rt-amd64 linux-image-686-pae linux-image-686}
WORK=${WORK:-build/soak/kernels}
. tests/system/lib.sh
. tests/rig/apt_lib.sh

# download DIR PACKAGE: the package's only file, unpacked in DIR.
download() {
    mkdir -p "$1" && (cd "$1" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$2") && dpkg-deb -x "$1"/*.deb "$1"
}

# fetch DIR PACKAGE: the kernel that the package depends on, as DIR/vmlinuz, and an initrd for it, as DIR/initrd.
fetch() {
    local image
    mkdir -p "$1" && cp build/guest/initrd "$1/initrd" || return 1
    case $2 in
    *-686*)
        apt_of "$(realpath "$1")" "$(. /etc/os-release && echo "$VERSION_CODENAME")" i386 && download "$1/busybox" busybox-static &&
            BUSYBOX=$(find "$1/busybox" -name busybox -type f -perm -1) tests/rig/initrd.sh "$1/initrd" || return 1
        ;;
    esac
    image=$(apt-cache show --no-all-versions "$2" | sed -n 's/^Depends: *\(linux-image-[^ ,]*\).*/\1/p')
    download "$1/image" "${image:-$2}" && mv "$1"/image/boot/vmlinuz-* "$1/vmlinuz" && rm -rf "$1/image"
}

for package in $packages; do
    name=${package#linux-image-}
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
