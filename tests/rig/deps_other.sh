#!/bin/sh
# On a system without dpkg: check by commands, headers and files that what a goal needs is there. It installs nothing. Where
# something is missing, it names the packages for the package manager of the system, from tests/rig/packages.
#
# usage: deps_other.sh DEBIAN_PACKAGES...     silent where nothing is missing
#
# Exit status: 0 everything required is there; 1 something is missing
set -eu

table=$(dirname "$0")/packages

for manager in dnf pacman zypper none; do
    [ "$manager" = none ] || ! command -v "$manager" >/dev/null || break
done
case $manager in
dnf) column=3 install='dnf install' ;;
pacman) column=4 install='pacman -S --needed' ;;
zypper) column=5 install='zypper install' ;;
none) column=1 install='install the like of these Debian packages:' ;;
esac

# there PROOF: is it on this system?
there() {
    case $1 in
    +*) # shellcheck disable=SC2086 # words
        printf '#include <%s>\n' stddef.h stdint.h stdarg.h setjmp.h "${1#+}" | ${CC:-cc} ${CPPFLAGS:-} -E -x c - >/dev/null 2>&1 ;;
    /*) [ -e "$1" ] ;;
    grub-*) command -v "$1" >/dev/null || command -v "grub2-${1#grub-}" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing='' names='' unnamed='' optional='' unknown=''
for package in "$@"; do
    row=$(sed -n "s/^$package  *//p" "$table")
    if [ -z "$row" ]; then
        unknown="$unknown $package"
        continue
    fi
    proof=${row%% *}
    there "${proof#\?}" && continue
    name=$(echo "$package $row" | awk -v column="$column" '{ print $column }')
    case $proof in
    \?*) optional="$optional $name" && continue ;;
    esac
    missing="$missing ${proof#+}"
    if [ "$name" = - ]; then unnamed="$unnamed $package"; else names="$names $name"; fi
done

[ -z "$optional" ] || echo "deps: optional and not there (docs/install.md):$optional"
[ -z "$unknown" ] || echo "deps: not checked on this system:$unknown"
[ -n "$missing" ] || exit 0
echo "deps: missing:$missing" >&2
[ -z "$names" ] || echo "deps: as root, run: $install$(echo "$names" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ *$//') (names of packages are untested)" >&2
[ -z "$unnamed" ] || echo "deps: no package of $manager is known for the like of Debian's:$unnamed" >&2
exit 1
