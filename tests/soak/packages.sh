#!/bin/bash
# The same tree gives the same packages, in whatever directory.
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
done_testing
