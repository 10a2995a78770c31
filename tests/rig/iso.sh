#!/bin/sh
# Make a bootable image of the hypervisor and its guest, for BIOS and for UEFI firmware.
#
# usage: iso.sh OUTPUT
# from the environment: ELF KERNEL INITRD CMDLINE OPTIONS; INITRD empty: none; KERNEL empty: none (a test's case);
# ELF empty: the kernel boots bare, without the hypervisor; or, with EFI=build/undertrace.efi, by GRUB's linux command
# beneath which that runs, with OPTIONS (only UEFI firmware). TABLES: files with additional ACPI tables for the machine;
# EXCEPT: signatures of the machine's own tables that are removed (DMAR,SPCR). FIRST: GRUB commands before the
# hypervisor is loaded, LAST: after that.
# VMLINUZ: the kernel's own bzImage, if KERNEL was made by tests/rig/unpacked.sh.
# SECTOR: GRUB's name of a BIOS disk, hd0, whose boot sector is the guest in place of a kernel.
# PLATFORM: only for this one of GRUB's (i386-pc); where no command needs GRUB's menu, an image that boots in half the time.
# PIXELS: a graphics mode, such as 1024x768x32, on a BIOS too. The host tool beside ELF adds tasks= where OPTIONS has none.
set -eu

output=$1
for file in ${ELF:+"$ELF"} ${KERNEL:+"$KERNEL"} ${INITRD:+"$INITRD"}; do
    [ -r "$file" ] || {
        echo "iso: cannot read $file" >&2
        exit 1
    }
done

# Where this kernel has its tasks, for the hypervisor. Not every kernel has this information, and our own guests have no
# tasks.
tasks=
case " ${OPTIONS:-} " in
*' tasks='*) ;;
*) [ -z "$ELF" ] || [ -z "$KERNEL" ] || tasks=$("$(dirname "$ELF")/undertrace" kernel-options "${VMLINUZ:-$KERNEL}" 2>/dev/null) || tasks= ;;
esac

mkdir -p "$(dirname "$output")"
if [ "${PLATFORM:-}" = i386-pc ] && [ -z "${TABLES:-}${FIRST:-}${LAST:-}${PIXELS:-}${EFI:-}" ]; then
    OPTIONS="${OPTIONS:-}${tasks:+ $tasks}" exec "$(dirname "$0")/quick_iso.sh" "$output"
fi
root=$(mktemp -d "$(dirname "$output")/iso.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$root/boot/grub"
[ -z "$ELF" ] || cp "$ELF" "$root/boot/undertrace.elf"
[ -z "$KERNEL" ] || cp "$KERNEL" "$root/boot/vmlinuz"
[ -z "$INITRD" ] || cp "$INITRD" "$root/boot/initrd"
[ -z "${EFI:-}" ] || cp "$EFI" "$root/boot/undertrace.efi"
for table in ${TABLES:-}; do cp "$table" "$root/boot/"; done

{
    echo 'set timeout=0'
    # UEFI firmware has no text mode to fall back to: GRUB needs its video drivers to hand over a framebuffer.
    echo 'if [ "$grub_platform" = efi ]; then insmod all_video; fi'
    [ -z "${PIXELS:-}" ] || echo 'insmod all_video'
    echo "menuentry 'Undertrace' {"
    # In one command: a second one, after one with a DSDT, frees memory that is not GRUB's, under UEFI.
    [ -z "${TABLES:-}" ] || {
        printf %s "    acpi${EXCEPT:+ --exclude=$EXCEPT}"
        for table in $TABLES; do printf %s " /boot/$(basename "$table")"; done
        echo
    }
    [ -z "${FIRST:-}" ] || printf '%s\n' "$FIRST"
    [ -z "$ELF" ] || echo "    multiboot2 /boot/undertrace.elf $OPTIONS${tasks:+ $tasks}"
    [ -z "${EFI:-}" ] || printf '    chainloader /boot/undertrace.efi %s\n    boot\n' "$OPTIONS"
    [ -z "${LAST:-}" ] || printf '%s\n' "$LAST"
    # On a BIOS the guest gets the text screen: drawing a console into a framebuffer costs the emulator dear.
    echo "    if [ \"\$grub_platform\" = pc ]; then set gfxpayload=${PIXELS:-text}; fi"
    if [ -z "$ELF" ]; then
        echo "    linux /boot/vmlinuz $CMDLINE"
        [ -z "$INITRD" ] || echo "    initrd /boot/initrd"
    else
        [ -z "$KERNEL" ] || echo "    module2 /boot/vmlinuz kernel $CMDLINE"
        [ -z "$INITRD" ] || echo "    module2 /boot/initrd initrd"
        [ -z "${SECTOR:-}" ] || echo "    module2 ($SECTOR)+1 disk $SECTOR"
    fi
    echo '}'
    if [ -n "$ELF" ]; then
        echo "menuentry 'Undertrace: look at this machine and its wire, start nothing' {"
        echo "    multiboot2 /boot/undertrace.elf $OPTIONS selftest=on"
        echo '}'
        echo "submenu 'Undertrace: trace a guest of its own' {"
        for scheme in topa single range soft; do
            case $scheme in soft) words=pt=soft ;; *) words=pt.scheme=$scheme ;; esac
            echo "    menuentry '$words' {"
            echo "        multiboot2 /boot/undertrace.elf $OPTIONS guest=builtin $words"
            echo '    }'
        done
        echo '}'
    fi
} >"$root/boot/grub/grub.cfg"

# Fixed dates: firmware and GRUB then take the same steps in each image of the same files, and so does the guest.
mkrescue=$(command -v grub-mkrescue || command -v grub2-mkrescue || echo grub-mkrescue)
if ! SOURCE_DATE_EPOCH=1700000000 "$mkrescue" ${PLATFORM:+-d "/usr/lib/grub/$PLATFORM"} -o "$output.new" --locales= --fonts= --themes= "$root" \
    -- -volume_date all_file_dates 2023111422132000 >"$root.log" 2>&1; then
    cat "$root.log" >&2
    rm -f "$root.log" "$output.new"
    echo "iso: grub-mkrescue failed" >&2
    exit 1
fi
rm -f "$root.log"
mv "$output.new" "$output"
