#!/bin/sh
# Make an image like that of tests/rig/iso.sh, which calls this for BIOS firmware where no command needs GRUB's menu. GRUB loads the
# same files by the same commands, but its core executes them itself: without menu, script language and lists of modules it reads
# half a megabyte instead of five. In the emulator, a micro-guest's boot takes half the time.
#
# usage: quick_iso.sh OUTPUT
# from the environment: ELF KERNEL INITRD CMDLINE OPTIONS SECTOR, as in iso.sh, but OPTIONS has tasks= already
set -eu

output=$1
modules=/usr/lib/grub/i386-pc
root=$(mktemp -d "$(dirname "$output")/iso.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$root/tree/boot/grub/i386-pc"
cd_boot=$root/tree/boot

# The commands. Without "normal" there is no menu, and "set", "insmod" and what modules define are all there is.
{
    echo 'set root=cd'
    echo 'set prefix=(cd)/boot/grub'
    if [ -z "$ELF" ]; then
        echo 'insmod linux'
        echo "linux /boot/vmlinuz $CMDLINE"
        [ -z "$INITRD" ] || echo 'initrd /boot/initrd'
    else
        echo 'insmod multiboot2'
        echo "multiboot2 /boot/undertrace.elf $OPTIONS"
        echo 'set gfxpayload=text'
        [ -z "$KERNEL" ] || echo "module2 /boot/vmlinuz kernel $CMDLINE"
        [ -z "$INITRD" ] || echo 'module2 /boot/initrd initrd'
        [ -z "${SECTOR:-}" ] || echo "module2 ($SECTOR)+1 disk $SECTOR"
    fi
    echo boot
} >"$root/commands"

# The modules that these two need, directly or not.
needed=$(awk '{ sub(":", "", $1); name = $1; $1 = ""; needs[name] = $0 }
    function add(name, parts, n, i) {
        if (name in has) return
        has[name] = 1; print name
        n = split(needs[name], parts)
        for (i = 1; i <= n; i++) add(parts[i])
    }
    END { add("multiboot2"); add("linux") }' "$modules/moddep.lst")
for module in $needed; do cp "$modules/$module.mod" "$cd_boot/grub/i386-pc/"; done

# Debug information would be loaded, too.
[ -z "$ELF" ] || strip -o "$cd_boot/undertrace.elf" "$ELF"
[ -z "$KERNEL" ] || cp "$KERNEL" "$cd_boot/vmlinuz"
[ -z "$INITRD" ] || cp "$INITRD" "$cd_boot/initrd"

grub-mkimage -O i386-pc-eltorito -p '(cd)/boot/grub' -c "$root/commands" -o "$root/tree/boot/grub/eltorito.img" biosdisk iso9660
# Fixed dates: GRUB then takes the same steps in each image of the same files, and so does the guest.
if ! SOURCE_DATE_EPOCH=1700000000 xorriso -as mkisofs -quiet -r -b boot/grub/eltorito.img -no-emul-boot -boot-load-size 4 -boot-info-table \
    -o "$output.new" "$root/tree" -- -volume_date all_file_dates 2023111422132000 >"$root/log" 2>&1; then
    cat "$root/log" >&2
    rm -f "$output.new"
    echo "quick_iso: xorriso failed" >&2
    exit 1
fi
mv "$output.new" "$output"
