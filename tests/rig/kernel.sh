#!/bin/sh
# Fetch the kernel that Debian's linux-image-amd64 stands for, unpacked and not installed.
#
# usage: kernel.sh DIR          makes DIR/vmlinuz and DIR/kernel.version
set -eu

dir=$1
mkdir -p "$dir"
work=$(mktemp -d "$dir/kernel.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

package_of() {
    apt-cache show --no-all-versions linux-image-amd64 2>/dev/null | sed -n 's/^Depends: *\(linux-image-[^ ,]*\).*/\1/p'
}

package=$(package_of)
if [ -z "$package" ]; then
    echo "kernel: updating the package lists"
    if [ "$(id -u)" -eq 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi
    package=$(package_of)
fi
[ -n "$package" ] || {
    echo "kernel: apt knows no package linux-image-amd64; set KERNEL= to a bzImage of your own" >&2
    exit 1
}

echo "kernel: downloading $package"
if ! (cd "$work" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$package") >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "kernel: apt-get download $package failed; set KERNEL= to a bzImage of your own" >&2
    exit 1
fi
dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work" --wildcards './boot/vmlinuz-*'
echo "$package" >"$dir/kernel.version"
mv "$work"/boot/vmlinuz-* "$dir/vmlinuz"
