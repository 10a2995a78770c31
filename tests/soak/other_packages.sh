#!/bin/bash
# Packages of other distributions, as far as Debian's tools can make them: the RPMs of packaging/undertrace.spec by rpmbuild, those
# of packaging/PKGBUILD by makepkg (both without the distribution's names of dependencies), and the image of
# packaging/Containerfile by buildah, on a clean Debian instead of a downloaded one. Each has the files of `make install`, and its
# tool decodes a stored capture exactly.
WORK=${WORK:-build/soak/other_packages}
. tests/system/lib.sh

tests/rig/deps.sh other_packages
work=$(realpath "$work")
version=$(sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
check 'the tarball of the release is made' packaging/dist.sh "$work/dist"
tarball=$work/dist/undertrace-$version.tar.xz
tar -C "$work" -xf tests/captures/wire-3.tar.xz
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD

# installed DIR: the files of a package's or an installation's tree, without documents, licenses, compression and debug files
installed() {
    (cd "$1" && find . -not -type d -not -path './usr/share/doc/*' -not -path './usr/share/licenses/*' -not -path './usr/lib/debug/*' -not -name '.*' \
        -not -path './usr/lib/.build-id/*') | sed 's/\.gz$//; s:^\./usr/lib/[^/]*linux-gnu/:./usr/lib/:; s:^\./usr/lib64/:./usr/lib/:' | LC_ALL=C sort
}
# decodes NAME PROGRAM...: the stored capture, branch for branch
decodes() {
    local name=$1
    shift
    same "$name: its tool decodes a stored capture" "$("$@" verify "$work/capture" "$work/truth.bin" 2>&1 | head -n 1 | tr -s ' ')" \
        "branches matched 78,665 of 78,665 (100.000 %)"
}
check 'make install' make -s install install-boot DESTDIR="$work/make" PREFIX=/usr LIBDIR=lib
files=$(installed "$work/make")

# --- RPM

check 'the spec file is parsed' rpmspec -P packaging/undertrace.spec
same 'it has the version of the tree' "$(rpmspec -q --srpm --qf '%{version}\n' packaging/undertrace.spec 2>/dev/null)" "$version"
check 'rpmbuild makes the packages of the tarball' rpmbuild -tb --nodeps --define "_topdir $work/rpm" "$tarball"
mkdir -p "$work/rpm/files"
for package in "$work"/rpm/RPMS/*/*.rpm; do
    [[ $package == *-debug* ]] || (cd "$work/rpm/files" && rpm2cpio "$package" | cpio -idm --quiet)
done
same 'they are four' "$(find "$work/rpm/RPMS" -name '*.rpm' -not -name '*-debug*' | wc -l)" 4
same 'they have the files of make install' "$(installed "$work/rpm/files")" "$files"
decodes rpm env LD_LIBRARY_PATH="$work/rpm/files/usr/lib64" "$work/rpm/files/usr/bin/undertrace"
cmp -s "$work/rpm/files/etc/default/undertrace" packaging/default/undertrace
same 'with the settings of the tree' $? 0

# --- PKGBUILD

mkdir "$work/arch"
cp packaging/PKGBUILD "$tarball" "$work/arch/"
same 'the PKGBUILD has the version of the tree' "$(bash -c '. packaging/PKGBUILD; echo $pkgver')" "$version"
as_user=
if [ "$(id -u)" -eq 0 ]; then # makepkg refuses root
    chown -R 65534 "$work/arch"
    as_user='setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent'
fi
# shellcheck disable=SC2086 # words
if [ -n "$as_user" ] && ! $as_user test -w "$work/arch"; then
    skip 'makepkg makes the packages' 'an unprivileged user cannot reach this directory'
else
    check 'makepkg makes the packages' eval "cd '$work/arch' && PACMAN=true $as_user makepkg --nodeps --skipinteg --nocolor"
    mkdir "$work/arch/files"
    for package in "$work"/arch/*.pkg.tar*; do
        tar -C "$work/arch/files" -xf "$package"
    done
    same 'they have the files of make install' "$(installed "$work/arch/files")" "$files"
    decodes PKGBUILD "$work/arch/files/usr/bin/undertrace"
fi

# --- container

if [ "$(id -u)" -ne 0 ]; then
    skip 'the container is built' 'that needs root here'
    done_testing
fi
check 'a clean Debian is made' tests/rig/debian.sh "$work/clean.tar" only ca-certificates
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
export CONTAINERS_STORAGE_CONF=$work/storage.conf
printf '[storage]\ndriver = "vfs"\nrunroot = "%s"\ngraphroot = "%s"\n' "$work/run" "$work/store" >"$CONTAINERS_STORAGE_CONF"
printf 'FROM scratch\nADD clean.tar /\n' >"$work/Base"
check 'it is an image' buildah build --signature-policy tests/rig/containers.json -t base -f "$work/Base" "$work"
mkdir "$work/tree"
tar -C "$work/tree" --strip-components=1 -xf "$tarball"
check 'the container is built' buildah build --network host --signature-policy tests/rig/containers.json --build-arg BASE=localhost/base -t undertrace -f packaging/Containerfile "$work/tree"
container=$(buildah from --signature-policy tests/rig/containers.json localhost/undertrace)
root=$(buildah mount "$container")
mkdir -p "$root/captures/capture" && cp -r "$work/capture/." "$root/captures/capture/" && cp "$work/truth.bin" "$root/captures/"
work=/captures decodes container buildah run "$container" -- undertrace
same 'its words are those of the receiver' "$(buildah inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' "$container")" '[undertrace] [--help]'
buildah rm --all >/dev/null 2>&1
buildah rmi --all --force >/dev/null 2>&1
done_testing
