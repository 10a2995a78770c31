#!/bin/bash
# tests/rig/deps.sh where there is no apt: silent if every tool is there, and with the names for dnf, pacman or zypper if not.
# Debian's column of tests/rig/packages is what dpkg lists for the files.
. tests/system/lib.sh

# owner PROOF: the installed packages that have the command, header or file; the database may know it without /usr
owner() {
    local file
    case $1 in
    +*) file=$(echo "#include <${1#+}>" | gcc -M -include setjmp.h -include stdarg.h -include stddef.h -include stdint.h -x c - | tr ' ' '\n' | grep -E "/${1#+}$" | head -n 1) ;;
    /*) file=$1 ;;
    *) file=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v "$1") ;;
    esac
    dpkg -S "$file" "${file#/usr}" "$(realpath "$file")" 2>/dev/null | sed 's/: .*//; s/:[a-z0-9]*$//' | tr -d ',' | tr ' ' '\n' | LC_ALL=C sort -u
}
seen=0
while read -r package proof _; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || continue
    seen=$((seen + 1))
    owners=$(owner "${proof#\?}")
    # The package itself, or one that it depends on, as gcc on gcc-12 and clang on clang-14.
    related=" $package $(dpkg-query -W -f '${Depends}' "$package" | tr ',|' '\n' | sed 's/^ *//; s/[ :].*//' | tr '\n' ' ') "
    found=
    for owner in $owners; do
        [[ $related != *" $owner "* ]] || found=1
    done
    [ "$found" ] || fail "$proof proves $package" "dpkg lists: $owners"
done < <(grep -v '^#' tests/rig/packages)
check "Debian's packages have what proves them ($seen packages)" test "$seen" -ge 20
same 'each package that make run installs has a row' \
    "$(sed -n "s/^\(compile\|tool\|emulator\|iso\|guest\)='\([^']*\)'.*/\2/p" tests/rig/deps.sh | tr ' ' '\n' | grep -vxFf <(grep -v '^#' tests/rig/packages | cut -d ' ' -f 1))" ''
same 'each row has five columns' "$(grep -v '^#' tests/rig/packages | awk 'NF != 5')" ''

# A system without apt: all commands but dpkg's and apt's.
mkdir "$work/bin"
find /usr/sbin /usr/bin /sbin /bin -maxdepth 1 ! -name 'dpkg*' ! -name 'apt*' ! -name dnf ! -name pacman ! -name zypper \
    -exec ln -sf -t "$work/bin" {} +
without=$(realpath "$work/bin")
# elsewhere GOAL: what deps.sh prints there, and its status
elsewhere() {
    PATH=$without tests/rig/deps.sh "$1" 2>&1
    echo $?
}
same 'make run where all is there: silent' "$(elsewhere run)" 0
same 'make: also' "$(elsewhere compile)" 0
rm "$without/xorriso" "$without/cpio" "$without/grub-mkrescue"
for manager in dnf pacman zypper; do
    ln -s /bin/true "$without/$manager"
    case $manager in
    dnf) line='dnf install cpio grub2-tools-extra xorriso' ;;
    pacman) line='pacman -S --needed cpio grub libisoburn' ;;
    zypper) line='zypper install cpio grub2 xorriso' ;;
    esac
    same "three are missing, with $manager" "$(elsewhere run)" \
        "deps: missing: grub-mkrescue xorriso cpio"$'\n'"deps: as root, run: $line (names of packages are untested)"$'\n'1
    same "make with $manager needs none of them" "$(elsewhere compile)" 0
    rm "$without/$manager"
done
ln -s /bin/true "$without/grub2-mkrescue"
same "Fedora's name of the command, no known manager" "$(elsewhere run)" \
    "deps: missing: xorriso cpio"$'\n'"deps: as root, run: install the like of these Debian packages: cpio xorriso (names of packages are untested)"$'\n'1
same 'an optional library is no failure' "$(PATH=$without CPPFLAGS='-nostdinc' tests/rig/deps_other.sh libzydis-dev 2>&1; echo $?)" \
    "deps: optional and not there (docs/install.md): libzydis-dev"$'\n'0
same 'what has no row is named' "$(PATH=$without tests/rig/deps_other.sh nodejs 2>&1; echo $?)" "deps: not checked on this system: nodejs"$'\n'0
rm -r "$work/bin"
done_testing
