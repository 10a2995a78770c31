#!/bin/bash
# Core is pure: linked together, its objects need nothing but the four memory functions. Prints TAP.
#
# usage: core.sh       (from the top; CORE_OBJS holds the freestanding objects, as the Makefile lists them)
set -u

if [ -z "${CORE_OBJS:-}" ]; then
    echo 'not ok 1 - CORE_OBJS names objects'
    echo 1..1
    exit 1
fi

# shellcheck disable=SC2086
defined=$(nm --defined-only -P $CORE_OBJS | awk 'NF > 1 && $2 ~ /[A-TV-Z]/ { print $1 }' | sort -u)
# shellcheck disable=SC2086
foreign=$(nm -u -A $CORE_OBJS | awk '{ print $NF, $1 }' | sort -u |
    awk -v ok="memcpy memmove memset memcmp _GLOBAL_OFFSET_TABLE_ $(echo $defined)" '
        BEGIN { n = split(ok, list, " "); for (i = 1; i <= n; i++) allowed[list[i]] = 1 }
        !($1 in allowed) { print $2 " needs " $1 }')
if [ -z "$foreign" ]; then
    echo 'ok 1 - core needs only memcpy, memmove, memset, memcmp'
else
    echo 'not ok 1 - core needs only memcpy, memmove, memset, memcmp'
    echo "$foreign"
fi

# Writable data would be state that a value snapshot does not show. Constant tables of pointers (.data.rel.ro) are none.
writable=
for object in $CORE_OBJS; do
    sections=$(objdump -h "$object" | awk '$2 ~ /^(\.init)?\.(data|bss)$/ && $3 !~ /^0+$/ { print $2, "0x" $3 }')
    [ -z "$sections" ] || writable="$writable$object: $sections"$'\n'
done
if [ -z "$writable" ]; then
    echo 'ok 2 - core has no writable globals'
else
    echo 'not ok 2 - core has no writable globals'
    printf '%s' "$writable"
fi
echo 1..2
