#!/bin/bash
# The receiver and decoder on other releases and distributions, in clean chroots, from where this machine's apt fetches packages: a
# static program that was built here runs there, and the sources compile there. Each decodes a stored capture exactly.
#
# By itself, from the top: tests/soak/chroots.sh [RELEASE...]      bullseye and trixie are Debian's, jammy and noble Ubuntu's
#
# Debian 12 has no package with Ubuntu's keys. Without /usr/share/keyrings/ubuntu-archive-keyring.gpg its releases are skipped,
# unless TRUST_MIRROR=1 allows packages of the mirror without a signature.
releases=${*:-bullseye trixie jammy noble}
WORK=${WORK:-build/soak/chroots}
. tests/system/lib.sh

tests/rig/deps.sh chroots
if [ "$(id -u)" -ne 0 ]; then
    skip 'the receiver runs in clean chroots' 'that needs root'
    done_testing
fi
work=$(realpath "$work")
site=$(apt-get indextargets --format "\$(SITE)" 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
check 'a static program is made' make -s CC=musl-gcc LDFLAGS=-static BUILD="$work/musl" "$work/musl/undertrace"
tar -C "$work" -xf tests/captures/wire-3.tar.xz

# made RELEASE: a chroot with what compiles C programs.
made() {
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg from=$site trusted=
    case $1 in
    jammy | noble)
        keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg from=${site%/debian}/ubuntu
        if [ ! -r "$keys" ]; then
            [ "${TRUST_MIRROR:-0}" != 0 ] || { echo "$keys is not there; see the top of the script" && return 1; }
            keys='' trusted='[trusted=yes] '
        fi
        ;;
    esac
    mmdebstrap --variant=minbase --include=gcc,g++,make,binutils,libc6-dev ${keys:+--keyring="$keys"} "$1" "$work/$1" "deb $trusted$from $1 main"
}
# verified RELEASE PROGRAM: its first line about the stored capture, there
verified() {
    LC_ALL=C chroot "$work/$1" "$2" verify /capture /truth.bin 2>&1 | head -n 1 | tr -s ' '
}
for release in $releases; do
    if ! made "$release" >"$work/$release.log" 2>&1; then
        skip "$release: the receiver runs and compiles there" "no chroot of it: $(tail -n 1 "$work/$release.log")"
        continue
    fi
    cp -r "$work/capture" "$work/truth.bin" "$work/$release/"
    cp "$work/musl/undertrace" "$work/$release/undertrace"
    same "$release: the static program decodes a stored capture" "$(verified "$release" /undertrace)" \
        'branches matched 78,665 of 78,665 (100.000 %)'
    mkdir "$work/$release/tree"
    git ls-files -z | xargs -0 tar -c | tar -x -C "$work/$release/tree"
    check "$release: the sources compile" chroot "$work/$release" make -s -C /tree build/undertrace
    same "$release: and decode it, too" "$(verified "$release" /tree/build/undertrace)" \
        'branches matched 78,665 of 78,665 (100.000 %)'
    rm -rf "${work:?}/$release"
done
done_testing
