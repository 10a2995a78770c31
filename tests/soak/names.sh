#!/bin/bash
# Names of kernels other than the one that all tests boot: Debian's of other releases, from where this machine's apt fetches
# packages. Each is booted, moved to wherever it likes, and prints its own names, with which those that were found must
# agree.
#
# By itself, from the top: tests/soak/names.sh [RELEASE...]
releases=${*:-bullseye trixie sid}
WORK=${WORK:-build/soak/names}
. tests/system/lib.sh
. tests/rig/names_lib.sh
. tests/rig/apt_lib.sh

# needs PACKAGE WHAT: the package of a name like WHAT that it depends on.
needs() {
    apt-cache show --no-all-versions "$1" | sed -n 's/^Depends: //p' | tr ',' '\n' | grep -o "$2" | head -n 1
}

# fetch DIR: the release's cloud kernel, as DIR/vmlinuz. Since 7.0 it has a package of its own.
fetch() {
    local image binary
    mkdir -p "$1" && apt_of "$(realpath "$1")" "${1##*/}" || return 1
    image=$(needs linux-image-cloud-amd64 'linux-image-[0-9][^ ]*')
    binary=$(needs "$image" 'linux-binary-[0-9][^ ]*')
    (cd "$1" && apt-get download -qq "${binary:-$image}") || return 1
    dpkg-deb -x "$1"/*.deb "$1/unpacked" || return 1
    find "$1/unpacked" -name 'vmlinuz*' -type f -exec mv {} "$1/vmlinuz" \;
    [ -s "$1/vmlinuz" ]
}

for release in $releases; do
    if ! (fetch "$work/$release") >"$work/$release.log" 2>&1; then
        skip "$release: its kernel is named" "apt cannot fetch it: $(tail -n 1 "$work/$release.log" 2>/dev/null)"
        continue
    fi
    boot=$release-boot
    WIRE='rate=0 latency=0' MEMORY=512 check "$release: boots to power-off and prints its names" \
        boot "$boot" "$work/$release/vmlinuz" build/guest/userland "$CMDLINE userland=names" 'channel=e1000 net.mtu=9000'
    check "$release: its functions are listed" list "$boot" --kernel "$work/$release/vmlinuz" --files /usr/bin --files /usr/sbin \
        --files /usr/lib
    console_has "$release: $(sed -n 's/^# kernel: //p' "$work/$boot/names")" "$boot" 'userland: names, done'
    kernel_agrees "$boot"
    maps_agree "$boot" bash
    maps_agree "$boot" perl
    tasks_agree "$boot"
done
done_testing
