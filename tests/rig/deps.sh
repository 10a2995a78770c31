#!/bin/sh
# Install the Debian packages that a target needs and this machine lacks. Silent where nothing is missing.
#
# usage: deps.sh run|check|test|bench|model|kvm|compile|nested|debian|fuzz|deb|dist|portable|packages|other_packages|chroots
set -eu

compile='gcc g++ make binutils libc6-dev'
# The host tool disassembles, finds source lines, decodes C++ names, serves pages and fetches debug files with them.
tool='libzydis-dev libdw-dev libiberty-dev libmicrohttpd-dev libdebuginfod-dev liblz4-dev'
emulator='bochsbios vgabios patch xz-utils'
iso='grub-common grub-pc-bin grub-efi-amd64-bin xorriso mtools'
guest='busybox-static cpio gzip mount mawk' # and what is essential: tests/rig/userland.sh
debian='mmdebstrap debian-archive-keyring e2fsprogs' # for the disk of a guest: tests/rig/debian.sh, tests/rig/disk.sh
deb='build-essential debhelper dpkg-dev' # what makes packages: packaging/deb.sh
kvm='qemu-system-x86 qemu-system-common qemu-system-data seabios' # tests/nested/initrd.sh takes from each
judges='libipt-dev' # what tests and benchmarks compare the decoder with
tests="$judges libcmocka-dev $tool debuginfod clang clangd clang-format cppcheck jq linux-perf lz4 zstd qemu-system-x86 ovmf
    protobuf-compiler valgrind lcov bolt-16 chromium curl gdb nodejs pkgconf man-db parallel slurmd slurmctld slurm-client munge iproute2 dnsmasq-base python3-yaml time"

case "${1:-}" in
run) wanted="$compile $tool $emulator $iso $guest" ;;
test) wanted="$compile $emulator $iso $guest $tests $deb lintian $debian" ;;
debian)
    wanted=$debian
    [ "$(id -u)" -eq 0 ] || wanted="$wanted fakeroot uidmap" # used instead of root's rights
    ;;
bench | nested) wanted="$compile $judges $emulator $iso $guest $kvm jq" ;;
kvm) wanted="$compile $tool $iso $guest $kvm" ;;
compile) wanted=$compile ;;
model) wanted="$compile $emulator" ;;
fuzz) wanted="$compile clang libclang-rt-14-dev liblz4-dev" ;;
deb) wanted="$compile $tool $deb" ;;
packages) wanted="$compile $tool $deb $debian autopkgtest" ;;
other_packages) wanted="$compile $tool $debian git xz-utils jq rpm cpio makepkg fakeroot libarchive-tools buildah" ;;
chroots) wanted="$compile $debian git musl-tools" ;;
dist) wanted='make git xz-utils' ;;
portable) wanted="$compile $emulator $iso $guest clang libcmocka-dev liblz4-dev musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static" ;;
check) wanted="$compile $judges libcmocka-dev libiberty-dev liblz4-dev clang clang-format cppcheck gzip xz-utils" ;;
*)
    echo "usage: deps.sh run|check|test|bench|model|kvm|compile|nested|debian|fuzz|deb|dist|portable|packages|other_packages|chroots" >&2
    exit 2
    ;;
esac

# Other distributions: only a check.
# shellcheck disable=SC2086 # a list of packages
command -v dpkg-query >/dev/null || exec "$(dirname "$0")/deps_other.sh" $wanted

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "deps: these packages are missing, and installing them needs root:$missing" >&2
        echo "deps: as root, run: apt-get install$missing" >&2
        exit 1
    }
    as_root=sudo
fi

install_missing() {
    # shellcheck disable=SC2086 # a list of packages
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1
}

echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A machine that never ran apt-get update has no lists, one that ran it long ago has stale ones: then update, once.
if ! install_missing; then
    echo "deps: updating the package lists first"
    $as_root apt-get update -qq && install_missing || {
        tail -n 20 "$log" >&2
        echo "deps: apt-get could not install:$missing" >&2
        exit 1
    }
fi
