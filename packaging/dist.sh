#!/bin/bash
# The source of a release as a tarball: the files of the last commit, in a folder undertrace-VERSION. The same commit always
# yields the same bytes.
#
# usage: dist.sh DIRECTORY      it receives undertrace-VERSION.tar.xz and undertrace-VERSION.tar.xz.sha256
set -eu -o pipefail

directory=$1
git rev-parse --verify -q HEAD >/dev/null 2>&1 || {
    echo "dist: this is not a checkout of the repository: the files of a release are those of a commit" >&2
    exit 1
}
version=$(sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
name=undertrace-$version
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
    echo "dist: changes that are not committed are left out" >&2
# A release is a tag that names its version.
[ "$(git tag --points-at HEAD "v$version")" ] ||
    echo "dist: the commit has no tag v$version: this is a snapshot, not a release (CONTRIBUTING.md)" >&2

mkdir -p "$directory"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | xz -6 -T1 >"$directory/$name.tar.xz.part"
mv "$directory/$name.tar.xz.part" "$directory/$name.tar.xz"
(cd "$directory" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
ls "$directory/$name.tar.xz"
