#!/bin/bash
# `make install`, and the Debian packages: made, looked at by lintian, installed in a clean Debian, whose GRUB then has a menu
# with the hypervisor in it. That menu, on a disk, boots a kernel, traced, from a PC's BIOS, and from UEFI firmware (where QEMU
# offers no VMX). Removed and purged, nothing is left.
. tests/system/lib.sh

# --- make install

root=$(realpath "$work")/root
check 'make install' make -s install DESTDIR="$root" PREFIX=/usr LIBDIR=lib64
check 'make install-boot' make -s install-boot DESTDIR="$root" PREFIX=/usr
same 'they install the tool, the library, manual pages, completion, and what boots' "$(cd "$root" && find . -not -type d | LC_ALL=C sort | tr '\n' ' ')" \
    "$(echo ./boot/undertrace.efi ./boot/undertrace.elf ./etc/default/undertrace ./etc/grub.d/25_undertrace ./usr/bin/undertrace ./usr/include/undertrace.h \
        ./usr/lib64/libundertrace.a ./usr/lib64/libundertrace.so ./usr/lib64/libundertrace.so.0 ./usr/lib64/libundertrace.so.0.1 \
        ./usr/lib64/pkgconfig/libundertrace.pc ./usr/lib64/pkgconfig/undertrace.pc ./usr/share/bash-completion/completions/undertrace ./usr/share/man/man1/undertrace.1 \
        ./usr/share/man/man3/libundertrace.3 ./usr/share/man/man7/undertrace-boot.7) "
same 'pkg-config names the directory of the library' \
    "$(PKG_CONFIG_PATH=$root/usr/lib64/pkgconfig pkg-config --variable=libdir undertrace)" /usr/lib64
same "and by the library's own name, too" \
    "$(PKG_CONFIG_PATH=$root/usr/lib64/pkgconfig pkg-config --variable=libdir libundertrace)" /usr/lib64
echo UNDERTRACE_ENTRIES=no >"$root/etc/default/undertrace"
check 'a second time' make -s install-boot DESTDIR="$root" PREFIX=/usr
same 'what was configured stays' "$(cat "$root/etc/default/undertrace")" UNDERTRACE_ENTRIES=no
check 'make uninstall-boot' make -s uninstall-boot DESTDIR="$root" PREFIX=/usr
same 'removes all of it' "$(find "$root/boot" "$root/etc" "$root/usr/share/man/man7" -not -type d)" ''
for page in packaging/undertrace-boot.7 decode/undertrace.1; do
    same "$page has no mistake" "$(man --warnings=all -l "$page" 2>&1 >/dev/null)" ''
done

# --- make deb

check 'the packages are made' packaging/deb.sh "$work/deb"
same 'lintian finds neither an error nor a warning' \
    "$(lintian --allow-root --fail-on error,warning "$work"/deb/*.changes 2>&1 || echo "exit code $?")" ''

if [ "$(id -u)" -ne 0 ]; then
    skip 'they are installed in a clean Debian' 'that needs root'
    done_testing
fi

# --- a clean Debian, and its GRUB

base=build/guest/clean_http.tar # a new name for each new list of packages, since a file that exists is taken
[ -r "$base" ] || check 'a clean Debian is made, once' tests/rig/debian.sh "$base" only grub2-common,grub-pc-bin,libdw1,libmicrohttpd12,libzydis4.0,xz-utils
clean=$(realpath "$work")/clean
uuid=756e6465-7274-4261-8365-000000000002
mkdir "$clean"
tar -xf "$base" -C "$clean"
inside() {
    LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$clean" "$@"
}
# All that is there but for what dpkg keeps of its own doings.
listing() {
    (cd "$clean" && find . -not -path './var/log/*' -not -path './var/lib/dpkg/*' -not -path './var/cache/*' | LC_ALL=C sort)
}

# The disk that this system will be on: what grub-probe would find of it.
cat >"$clean/usr/sbin/grub-probe" <<END
#!/bin/sh
case "\$*" in
*--target=device*) echo /dev/sda1 ;;
*--target=fs_uuid*) echo $uuid ;;
*--target=partuuid*) echo 00000000-01 ;;
*--target=fs*) echo ext2 ;;
*--target=partmap*) echo msdos ;;
*--target=abstraction*) ;;
*--target=*hints* | *--target=*hint*) echo hd0,msdos1 ;;
*) exit 1 ;;
esac
END
chmod 755 "$clean/usr/sbin/grub-probe"
mkdir -p "$clean/dev/disk/by-uuid" "$clean/boot/grub"
: >"$clean/dev/disk/by-uuid/$uuid"
cp build/guests/exits.bzImage "$clean/boot/vmlinuz-1-exits"
version=$(sed 's/^linux-image-//' build/guest/kernel.version)
cp build/guest/vmlinuz "$clean/boot/vmlinuz-$version"
cp build/guest/initrd "$clean/boot/initrd.img-$version"
echo 'no kernel' >"$clean/boot/vmlinuz-damaged"
cat >"$clean/etc/default/grub" <<'END'
GRUB_DEFAULT="undertrace>undertrace-1-exits"
GRUB_TIMEOUT=0
GRUB_DISTRIBUTOR=Debian
GRUB_TERMINAL=console
GRUB_CMDLINE_LINUX_DEFAULT="console=ttyS0 panic=-1"
END
check 'GRUB has a menu before' inside update-grub
cp "$clean/boot/grub/grub.cfg" "$work/before.cfg"
listing >"$work/before"

mkdir "$clean/tmp/deb"
cp "$work"/deb/*.deb "$clean/tmp/deb"
rm "$clean"/tmp/deb/*dbgsym*
check 'the packages are installed' eval 'inside sh -c "dpkg -i /tmp/deb/*.deb" >"$work/installed"'
same 'the receiver'"'"'s command is printed' "$(grep -c '^ *undertrace receive --udp 21845 --announce -o capture$' "$work/installed")" 1
rm -r "$clean/tmp/deb"
mkdir -p "$clean/tmp/tree/tests" "$clean/tmp/tree/debian"
cp -r packaging/debian/tests "$clean/tmp/tree/debian/tests"
cp -r tests/captures "$clean/tmp/tree/tests/captures"
check "the packages' own test of decoding passes there" inside sh -c 'mkdir /tmp/own && cd /tmp/tree && AUTOPKGTEST_TMP=/tmp/own debian/tests/decode'
rm -r "$clean/tmp/tree" "$clean/tmp/own"
# The packages are built from a copy of the tree without its history, so they name no commit.
same 'the host tool runs there' "$(inside undertrace --version)" "$(build/undertrace --version | sed 's/ (commit .*//')"

menu=$clean/boot/grub/grub.cfg
check 'GRUB takes the menu' grub-script-check "$menu"
# entries PATTERN: how many lines of the menu have it
entries() {
    grep -c -- "$1" "$menu"
}
same 'the menu has an entry for each kernel, and those of the self-test' \
    "$(sed -n "s/.*menuentry .*--id '\(undertrace[^']*\)' {/\1/p" "$menu" | tr '\n' ' ')" "undertrace-$version undertrace-1-exits undertrace-beneath undertrace-selftest undertrace-guest-topa undertrace-guest-single undertrace-guest-range undertrace-guest-soft "
same 'what it had stays' "$(diff "$work/before.cfg" "$menu" | grep -c '^<')" 0
same 'the receiver announces itself, and DHCP gives the address' \
    "$(entries "multiboot2 /boot/undertrace.elf net.ip=dhcp net.peer=announce tasks=.*\$") $(entries "undertrace.elf net.ip=dhcp net.peer=announce selftest=on\$")" '1 1'
same 'a kernel has its initrd' "$(entries "module2 --nounzip /boot/initrd.img-$version initrd")" 1
same 'and where it has its tasks' "$(entries "multiboot2 /boot/undertrace.elf .*$(build/undertrace kernel-options build/guest/vmlinuz)")" 1
same 'and its root and command line' "$(entries "module2 --nounzip /boot/vmlinuz-$version kernel root=UUID=$uuid ro console=ttyS0 panic=-1\$")" 1

options='channel=net net.mtu=9000' # the receiver of tests/rig/boot.sh announces nothing
sed -i "s/^UNDERTRACE_OPTIONS=.*/UNDERTRACE_OPTIONS='$options'/; s/^UNDERTRACE_CMDLINE_LINUX=.*/UNDERTRACE_CMDLINE_LINUX=nokaslr/; s/^UNDERTRACE_TASKS=.*/UNDERTRACE_TASKS=no/" \
    "$clean/etc/default/undertrace"
check 'the menu is made again' inside update-grub
same 'options and command line are those of /etc/default/undertrace' \
    "$(entries "multiboot2 /boot/undertrace.elf $options\$") $(entries "kernel .* nokaslr\$")" '2 2'
same 'tasks= as well' "$(entries tasks=)" 0

# --- the menu boots

check 'a disk is made of it' tests/rig/grub-disk.sh "$clean" "$uuid" "$work/disk.img" "$work/esp.img"
ISO='' DISK=$work/disk.img check "the menu's entry boots the kernel under the hypervisor" tests/rig/boot.sh "$work/entry"
console_has 'which has found its wire' entry 'undertrace: channel net'
console_has 'the guest is in order' entry 'exits: ok'
exact 'each branch is in the trace' entry

code=/usr/share/OVMF/OVMF_CODE_4M.fd
if [ -r "$code" ]; then
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars.fd"
    mkdir "$work/uefi"
    timeout 7200 qemu-system-x86_64 -accel tcg -machine q35 -cpu qemu64 -m 512 -display none -monitor none -no-reboot \
        -net none -drive if=pflash,format=raw,readonly=on,file="$code" -drive if=pflash,format=raw,file="$work/vars.fd" \
        -drive format=raw,file="$work/disk.img",snapshot=on -drive format=raw,file="$work/esp.img" \
        -serial file:"$work/uefi/console.txt" </dev/null
    same 'UEFI firmware boots the same menu: the guest powers off' $? 0
    console_has 'the hypervisor says hello' uefi 'undertrace: version'
    console_has 'the guest is in order there' uefi 'exits: ok'
else
    skip 'UEFI firmware boots the same menu' 'OVMF is not installed'
fi

# --- away again

check 'it is removed' inside dpkg -r undertrace-boot
same 'the menu is what it was, but for the mark of a script that says nothing' "$(diff "$work/before.cfg" "$menu" | grep '^[<>] .' | grep -v '/25_undertrace ###$')" ''
same 'the configuration is kept' "$(grep -c "$options" "$clean/etc/default/undertrace")" 1
check 'and purged, with the others' inside dpkg -P undertrace-boot undertrace libundertrace-dev libundertrace0
same 'the menu no longer has it' "$(diff "$work/before.cfg" "$menu")" ''
same 'all of it is removed' "$(listing | diff "$work/before" -)" ''
rm -rf "$clean"
done_testing
