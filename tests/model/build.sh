#!/bin/sh
# Build the emulator with the PT model: Debian's source of Bochs 3.0, bochs.patch (hooks), fixes/*.patch (faults of Bochs, each
# with a note for its authors), and the files beside this script.
#
#   tests/model/build.sh [BUILD]      BUILD (default: build) receives bochs and model/, where all the work is done
#   tests/model/build.sh --unmodified [BUILD]     Bochs as it is, with the same options: BUILD/model/unmodified/bochs
#   BOCHS_TARBALL=FILE                take the source from FILE instead of Debian's archive
#   JOBS=N                            compile N files at a time
#
# Needs no root. Rebuilds nothing when nothing has changed, and only the model when only the model has.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
unmodified=
[ "${1:-}" != --unmodified ] || { unmodified=yes && shift; }
build=${1:-$root/build}
mkdir -p "$build/model"
build=$(cd "$build" && pwd)
work=$build/model
src=$work/bochs
mine=$src/instrument/undertrace
tarball_name=bochs_3.0+dfsg.orig.tar.xz
tarball_sha256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b
options="--enable-cpu-level=6 --enable-x86-64 --enable-smp --enable-vmx=2 --enable-avx --enable-evex --enable-cet
    --enable-all-optimizations --enable-pci --enable-e1000 --enable-memtype --enable-configurable-msrs --with-nogui
    --disable-docbook --disable-debugger --disable-show-ips"
with_model=--enable-instrumentation=instrument/undertrace

say() { echo "model: $*"; }
fail() { echo "tests/model/build.sh: $*" >&2; exit 1; }

has_sha256() { [ -f "$1" ] && echo "$tarball_sha256  $1" | sha256sum --check --status; }

# Debian's archive as this machine is set up for it: the index targets name the repositories.
download() {
    for uri in $(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | sort -u); do
        say "fetching $tarball_name"
        if /usr/lib/apt/apt-helper download-file "${uri%/}/pool/main/b/bochs/$tarball_name" "$1.part" \
            "SHA256:$tarball_sha256" >"$work/download.log" 2>&1; then
            mv "$1.part" "$1"
            return
        fi
    done
    fail "no repository of this machine has $tarball_name (see $work/download.log);" \
        "get it from Debian's archive and pass BOCHS_TARBALL=FILE"
}

find_tarball() {
    tarball=${BOCHS_TARBALL:-$work/$tarball_name}
    if [ -n "${BOCHS_TARBALL:-}" ]; then
        has_sha256 "$tarball" || fail "$tarball is not $tarball_name (SHA-256 $tarball_sha256)"
    elif ! has_sha256 "$tarball"; then
        download "$tarball"
    fi
}

# All of Bochs depends on the source, the patches and the options: a change to any of them starts from the tarball.
unpack() {
    key=$(printf '%s\n' "$tarball_sha256" "$options $with_model" "${CXX:-g++}" | cat - "$here/bochs.patch" "$here"/fixes/*.patch | sha256sum)
    [ -f "$work/unpacked" ] && [ "$(cat "$work/unpacked")" = "$key" ] && return
    find_tarball
    say "unpacking Bochs 3.0"
    rm -rf "$src" "$work/unpacked"
    mkdir -p "$src"
    tar -xJf "$tarball" -C "$src" --strip-components=1
    for file in "$here/bochs.patch" "$here"/fixes/*.patch; do
        (cd "$src" && patch -p0 -s) <"$file" || fail "${file##*/} does not apply"
    done
    mkdir -p "$mine"
    sync_files
    say "configuring"
    # shellcheck disable=SC2086 # the options are words
    (cd "$src" && CFLAGS="-O2" CXXFLAGS="-O2" ./configure $options $with_model) >"$work/configure.log" 2>&1 ||
        fail "configure failed, see $work/configure.log"
    echo "$key" >"$work/unpacked"
}

# Copy what differs. $1: from, $2: to. Bochs's makefiles do not know our headers: touching the one that they do know
# makes them compile the CPU again.
sync_file() {
    cmp -s "$1" "$2" && return
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2"
    case $2 in
    */Makefile.in) [ ! -f "$src/config.status" ] || (cd "$src" && INSTRUMENT_DIR=instrument/undertrace ./config.status -q instrument/undertrace/Makefile) ;;
    */instrument.h | */pt_model.h | */pt_slow.h | */pt_pmu.h | */truth.h | */packet.h | */topa.h) touch "$src/instrument/stubs/instrument.h" ;;
    esac
}

sync_files() {
    for file in "$here"/*.cc "$here"/*.h; do
        sync_file "$file" "$mine/$(basename "$file")"
    done
    for file in "$mine"/*.cc; do
        [ ! -f "$file" ] || [ -f "$here/$(basename "$file")" ] || rm -f "$file"
    done
    sync_file "$here/bochs.mk.in" "$mine/Makefile.in"
    # What the model shares with the hypervisor and the host tool; the Makefile depends on the same list.
    for file in $(cat "$here/shared"); do
        sync_file "$root/$file" "$mine/$file"
    done
}

# Bochs's makefiles need make's built-in rules, which the project's Makefile switches off for all makes below it. $1: the
# source, $2: the log.
compile() {
    unset MAKEFLAGS MFLAGS MAKEOVERRIDES
    if ! make -C "$1" -j"${JOBS:-$(nproc)}" bochs >"$2" 2>&1; then
        grep -m 20 -E 'error|undefined' "$2" >&2 || tail -n 20 "$2" >&2
        fail "the emulator does not compile, see $2"
    fi
}

# What the model's speed is compared with.
build_unmodified() {
    src=$work/unmodified
    if [ ! -f "$src/configured" ]; then
        find_tarball
        say "unpacking an unmodified Bochs 3.0"
        rm -rf "$src"
        mkdir -p "$src"
        tar -xJf "$tarball" -C "$src" --strip-components=1
        # shellcheck disable=SC2086 # the options are words
        (cd "$src" && CFLAGS="-O2" CXXFLAGS="-O2" ./configure $options) >"$work/configure-unmodified.log" 2>&1 ||
            fail "configure failed, see $work/configure-unmodified.log"
        touch "$src/configured"
    fi
    compile "$src" "$work/make-unmodified.log"
}

# One build at a time: make test and make bench may both come here. The lock goes with the process.
exec 9>"$work/lock"
flock --nonblock 9 || { say "waiting for another build in $work" && flock 9; }

if [ -n "$unmodified" ]; then
    build_unmodified
    exit 0
fi
unpack
sync_files
compile "$src" "$work/make.log"
if ! cmp -s "$src/bochs" "$build/bochs"; then
    cp "$src/bochs" "$build/bochs.new"
    mv "$build/bochs.new" "$build/bochs"
    say "built $build/bochs"
fi
