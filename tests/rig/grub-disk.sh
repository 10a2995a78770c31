#!/bin/bash
# A disk that boots by GRUB, from a PC's BIOS and, with the second file beside it, from UEFI firmware: what GRUB's own
# installer would put there, without a device to ask.
#
# usage: grub-disk.sh ROOT UUID DISK ESP    ROOT/boot becomes the first partition's /boot; ESP: the image of an EFI system partition
set -eu
umask 022

root=$1 uuid=$2 disk=$3 esp=$4
grub=/usr/lib/grub
mib=64 first=2048 # sectors before the partition
# What reads the partition; all else comes from /boot/grub then.
modules='part_msdos ext2 search_fs_uuid normal'

parts=$(mktemp -d "$disk.XXXXXX")
trap 'rm -rf "$parts"' EXIT
mkdir "$parts/top"
cp -a "$root/boot" "$parts/top/boot"
for platform in i386-pc x86_64-efi; do
    mkdir -p "$parts/top/boot/grub/$platform"
    cp "$grub/$platform"/*.mod "$grub/$platform"/*.lst "$parts/top/boot/grub/$platform"
done
find "$parts/top" -exec touch -h -d @1700000000 {} +
E2FSPROGS_FAKE_TIME=1700000000 mke2fs -q -t ext4 -O ^metadata_csum_seed -U "$uuid" -E hash_seed="$uuid" -d "$parts/top" \
    "$parts/ext4" "${mib}M" >"$parts/log"

# The boot sector loads sector 1, the core image's first, which has the image's length: neither needs patching.
# shellcheck disable=SC2086 # words
grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$parts/core" biosdisk $modules
[ "$(stat -c %s "$parts/core")" -lt $(((first - 1) * 512)) ] || exit 1
# A multiple of the emulated disk's cylinders, 1008 sectors.
truncate -s $(((first + mib * 2048 + 1007) / 1008 * 1008 * 512)) "$disk"
dd if="$grub/i386-pc/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$parts/core" of="$disk" bs=512 seek=1 conv=notrunc status=none
dd if="$parts/ext4" of="$disk" bs=512 seek=$first conv=notrunc status=none
# One entry of the partition table: active, Linux, its start and its size (as LBAs only), and the signature.
little() { printf "\\\\x%02x" $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)); }
printf "\x80\xfe\xff\xff\x83\xfe\xff\xff$(little $first)$(little $((mib * 2048)))" |
    dd of="$disk" bs=1 seek=446 conv=notrunc status=none
printf '\x55\xaa' | dd of="$disk" bs=1 seek=510 conv=notrunc status=none

# UEFI firmware runs a file of its own partition, which looks for the other one.
echo "search.fs_uuid $uuid root
set prefix=(\$root)/boot/grub" >"$parts/early.cfg"
# shellcheck disable=SC2086
grub-mkimage -O x86_64-efi -p /EFI/BOOT -c "$parts/early.cfg" -o "$parts/grub.efi" $modules
truncate -s 16M "$esp"
mformat -i "$esp" ::
mmd -i "$esp" ::/EFI ::/EFI/BOOT
mcopy -i "$esp" "$parts/grub.efi" ::/EFI/BOOT/BOOTX64.EFI
