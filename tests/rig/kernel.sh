#!/bin/sh
# Fetch the kernel that Debian's linux-image-amd64 depends on, and unpack it without installing it.
#
# usage: kernel.sh DIR          makes DIR/vmlinuz, DIR/kernel.version, and of a few of its modules the second half of an initrd:
#                               DIR/modules for a guest's stories; DIR/kvm-modules with KVM and an IDE disk, in the order in
#                               which modules/order names them
set -eu

dir=$1
modules='loop dummy binfmt_misc test_bpf test_static_keys test_static_key_base'
kvm_modules='irqbypass kvm kvm-intel scsi_common scsi_mod libata ata_piix crct10dif_common crc-t10dif crc64 crc64-rocksoft t10-pi
    sd_mod'
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
# shellcheck disable=SC2046,SC2086 # lists of words
dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work" --wildcards './boot/vmlinuz-*' \
    $(printf './lib/modules/*/%s.ko ' $modules $kvm_modules)

# archive OUTPUT MODULES: those modules under modules/.
archive() {
    mkdir "$work/modules"
    for module in $2; do
        find "$work/lib" -name "$module.ko" -exec cp -p -t "$work/modules" {} +
        [ "$1" = modules ] || echo "$module" >>"$work/modules/order"
    done
    find "$work/modules" -exec touch -h -d @0 {} +
    (cd "$work" && find modules | LC_ALL=C sort | cpio --quiet -o -H newc --reproducible -R 0:0) >"$dir/$1"
    rm -r "$work/modules"
}
archive modules "$modules"
archive kvm-modules "$kvm_modules"
echo "$package" >"$dir/kernel.version"
mv "$work"/boot/vmlinuz-* "$dir/vmlinuz"
