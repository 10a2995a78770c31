#!/bin/bash
# The same tree gives the same packages, in whatever directory. Debian's autopkgtest installs them in a clean Debian, and runs
# the tests that are part of them (packaging/debian/tests/).
WORK=${WORK:-build/soak/packages}
. tests/system/lib.sh

# made NAME: the packages' sums, of a build in a directory of that name
made() {
    packaging/deb.sh "$work/$1" >/dev/null && (cd "$work/$1" && sha256sum ./*.deb)
}
first=$(made one) || fail 'the packages are made' "$(tail -n 5 "$work/one/log")"
second=$(made a/longer/way) || fail 'the packages are made again' "$(tail -n 5 "$work/a/longer/way/log")"
check 'there are packages' test "$(wc -l <<<"$first")" -ge 4
same 'made elsewhere, each has the same bytes' "$second" "$first"

if [ "$(id -u)" -ne 0 ]; then
    skip 'their own tests pass in a clean Debian' 'a chroot needs root'
    done_testing
fi
check 'autopkgtest is there' tests/rig/deps.sh packages
work=$(realpath "$work")
check 'a clean Debian is made' tests/rig/debian.sh "$work/clean.tar" only ca-certificates
mkdir -p "$work/clean" "$work/tree/tests" "$work/tree/docs"
tar -xf "$work/clean.tar" -C "$work/clean"
cp -L /etc/resolv.conf /etc/hosts "$work/clean/etc/"
cp -r packaging/debian "$work/tree/debian"
cp -r tests/captures "$work/tree/tests/captures"
cp docs/example.c "$work/tree/docs"
# The tests that autopkgtest counts as passed, by name.
LC_ALL=C autopkgtest --apt-upgrade --summary-file="$work/summary" "$work"/one/undertrace_*.deb "$work"/one/libundertrace*.deb \
    "$work/tree/" -- chroot "$work/clean" >"$work/autopkgtest.log" 2>&1 </dev/null
same "autopkgtest's status" "$?" 0
same 'each of their own tests passes in a clean Debian' "$(awk '$2 == "PASS" { print $1 }' "$work/summary" | tr '\n' ' ')" 'decode library '
rm -rf "$work/clean"
done_testing
