#!/bin/bash
# `make dist`: the files of the last commit, twice the same bytes, and what is unpacked from them knows all goals of make.
. tests/system/lib.sh

if ! git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    skip 'make dist' 'the tree is not a checkout of the repository'
    done_testing
fi
version=$(sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
tarball=undertrace-$version.tar.xz
check 'a tarball is made' packaging/dist.sh "$work/one"
check 'and a second time' packaging/dist.sh "$work/two"
check 'both are the same' cmp "$work/one/$tarball" "$work/two/$tarball"
check 'its checksum is right' eval '(cd "$work/one" && sha256sum --quiet -c "$tarball.sha256")'
tar -xf "$work/one/$tarball" -C "$work"
same 'it contains the files of the commit, in a folder with the version' \
    "$(cd "$work/undertrace-$version" && find . -type f -o -type l | sed 's:^\./::' | LC_ALL=C sort | sha256sum)" \
    "$(git ls-tree -r --name-only -z HEAD | tr '\0' '\n' | LC_ALL=C sort | sha256sum)"
same 'make help works there' "$(make -s -C "$work/undertrace-$version" help | sha256sum)" \
    "$(git show HEAD:Makefile | sed -n 's/^#: //p' | sha256sum)"
mkdir "$work/elsewhere"
same 'outside of a checkout there is a message' \
    "$(cd "$work/elsewhere" && GIT_CEILING_DIRECTORIES=${PWD%/*} "$OLDPWD/packaging/dist.sh" . 2>&1; echo $?)" \
    "dist: this is not a checkout of the repository: the files of a release are those of a commit"$'\n'1
done_testing
