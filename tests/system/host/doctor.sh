#!/bin/bash
# undertrace doctor on trees of files that are those of machines: a good one, and what can be wrong with it, one thing at a time.
# And on this machine, whatever it is.
. tests/system/lib.sh

# machine NAME: the files of a Skylake desktop, as root sees them, with an I219 that has a link, booted by UEFI firmware.
# A test changes what it needs otherwise.
machine() {
    dir=$work/$1
    card=$dir/sys/bus/pci/devices/0000:00:1f.6
    variables=$dir/sys/firmware/efi/efivars
    mkdir -p "$dir"/dev/cpu/0 "$dir"/proc/net "$dir"/boot/grub/x86_64-efi "$dir"/usr/sbin "$dir"/etc/default "$dir"/sys/class/tty/ttyS0 "$card/net/eno1" "$variables"
    for ((cpu = 0; cpu < 4; cpu++)); do
        printf '%s\n' "processor	: $cpu" 'vendor_id	: GenuineIntel' 'cpu family	: 6' 'model		: 94' 'model name	: Core of a test' \
            'stepping	: 3' 'flags		: fpu vme vmx intel_pt' 'vmx flags	: vnmi' ''
    done >"$dir/proc/cpuinfo"
    # 1.ECX: VMX; 7.EBX: Intel PT; 14H: all three ways of output, CR3 filter, two ranges
    cat >"$dir/dev/cpu/0/cpuid" <<'END'
CPU 0:
   0x00000000 0x00: eax=0x00000016 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69
   0x00000001 0x00: eax=0x000506e3 ebx=0x00100800 ecx=0x7ffafbff edx=0xbfebfbff
   0x00000007 0x00: eax=0x00000000 ebx=0x029c6fbb ecx=0x00000000 edx=0x00000000
   0x0000000a 0x00: eax=0x07300404 ebx=0x00000000 ecx=0x00000000 edx=0x00000603
   0x00000014 0x00: eax=0x00000001 ebx=0x0000000f ecx=0x00000007 edx=0x00000000
   0x00000014 0x01: eax=0x02490002 ebx=0x003f3fff ecx=0x00000000 edx=0x00000000
   0x00000015 0x00: eax=0x00000002 ebx=0x0000010c ecx=0x00000000 edx=0x00000000
   0x80000008 0x00: eax=0x00003027 ebx=0x00000000 ecx=0x00000000 edx=0x00000000
END
    cat >"$dir/dev/cpu/0/msr" <<'END'
0x3a 0x5
0x480 0xda040000000004
0x485 0x7004c1e7
0x48b 0x53cfff00000000
0x48c 0xf0106334141
0x48d 0x7f00000016
0x48e 0xfff9fffe04006172
0x48f 0x1ffffff00036dfb
0x490 0x3ffff000011fb
0x570 0x0
END
    echo 'MemTotal:       16384000 kB' >"$dir/proc/meminfo"
    printf 'Iface\tDestination\tGateway\nwlan0\t00000000\t0101A8C0\n' >"$dir/proc/net/route"
    echo 0x020000 >"$card/class"
    echo 0x8086 >"$card/vendor"
    echo 0x15b8 >"$card/device"
    echo 1 >"$card/net/eno1/carrier"
    echo 4 >"$dir/sys/class/tty/ttyS0/type"
    printf '\6\0\0\0\0' >"$variables/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    cp build/guests/branches.bzImage "$dir/boot/vmlinuz-6.1.0-44-amd64"
    : >"$dir/boot/grub/grub.cfg"
    : >"$dir/boot/grub/x86_64-efi/multiboot2.mod"
    : >"$dir/usr/sbin/update-grub"
    echo 12.5 >"$dir/etc/debian_version"
    df_of 200000
}

# df_of KIB: so much is free in /boot
df_of() {
    printf '%s\n' 'Filesystem 1024-blocks      Used Available Capacity Mounted on' \
        "/dev/nvme0n1p2 486000 90000 $1 20% /boot" >"$dir/boot.df"
}

# next_is NAME COMMANDS: the commands to run next, joined by '; '
next_is() {
    same "$1: the next commands" "$(jq -r '.next | join("; ")' "$dir.json")" "$2"
}

# says NAME VERDICT STATUS [TOPIC STATE WORDS]: the verdict of doctor on the tree made last
says() {
    local name=$1 verdict=$2 status=$3 is
    build/undertrace doctor --root "$dir" --json >"$dir.json"
    is=$?
    same "$name: $verdict" "$(jq -r .verdict "$dir.json") $is" "$verdict $status"
    [ $# -eq 3 ] || check "$name: of $4: $6" jq -e --arg topic "$4" --arg state "$5" --arg words "$6" \
        '.findings[] | select(.topic == $topic and .state == $state and (.text | contains($words)))' "$dir.json"
}

machine good
says 'all is well' yes 0 pt good 'ToPA tables of many regions; CR3 filter yes, 2 address ranges, CYC yes, MTC yes, PTWRITE no'
same 'all of it' "$(jq -r '[.findings[].state] | unique | join(" ")' "$dir.json")" good
same 'the text has as many lines, the verdict, and the next commands' "$(build/undertrace doctor --root "$dir" | grep -c .)" \
    $(($(jq '(.findings | length) + (.next | length)' "$dir.json") + 4))
same 'the CPU has a name' "$(jq -r '.findings[0].text' "$dir.json")" 'Core of a test: Skylake (06_5EH), stepping 3'

# The CPU
sed -i 's/^0x3a .*/0x3a 0x1/' "$dir/dev/cpu/0/msr"
says 'VMX locked off' no 2 vmx bad 'locked VMX off'
check 'with a remedy' jq -e '.findings[] | select(.topic == "vmx" and (.remedy | contains("Virtualization Technology")))' "$dir.json"
machine unprivileged
rm "$dir/dev/cpu/0/msr"
says 'without MSRs' unknown 4 pt-in-vmx unseen '485H'
sed -i 's/ vmx / /' "$dir/proc/cpuinfo"
says 'without MSRs, and Linux knows that VMX is locked off' no 2 vmx bad 'the kernel says'
machine nested
sed -i 's/^0x485 .*/0x485 0x70048000/' "$dir/dev/cpu/0/msr"
sed -i 's/ecx=0x7ffafbff/ecx=0xfffafbff/' "$dir/dev/cpu/0/cpuid"
says 'under another hypervisor' single-steps 3 hypervisor note 'a hypervisor below'
machine old
sed -i 's/ebx=0x029c6fbb/ebx=0x009c6fbb/' "$dir/dev/cpu/0/cpuid"
says 'a CPU without Intel PT' single-steps 3 pt slow 'has no Intel PT'
machine busy
sed -i 's/^0x570 .*/0x570 0x2505/' "$dir/dev/cpu/0/msr"
says 'perf traces' single-steps 3 pt slow 'in use'
machine hybrid
mkdir "$dir/dev/cpu/2"
sed 's/ecx=0x00000007 edx/ecx=0x0000000f edx/' "$dir/dev/cpu/0/cpuid" >"$dir/dev/cpu/2/cpuid"
says 'cores of two kinds' yes 0 cpus note 'CPU 2: CPUID leaf 14H'
machine amd
sed -i 's/GenuineIntel/AuthenticAMD/' "$dir/proc/cpuinfo"
says 'an AMD CPU' no 2 cpu bad 'not an Intel CPU'
machine large
for ((cpu = 4; cpu < 96; cpu++)); do echo "processor	: $cpu"; done >>"$dir/proc/cpuinfo"
says '96 CPUs' no 2 cpus bad '96 CPUs'

# Without CPUID: what Linux's driver reports
machine driver
rm -r "$dir/dev"
caps=$dir/sys/bus/event_source/devices/intel_pt/caps
mkdir -p "$caps"
echo 1 | tee "$caps/topa_output" "$caps/mtc" "$caps/psb_cyc" >/dev/null
echo 0 | tee "$caps/topa_multiple_entries" "$caps/ptwrite" >/dev/null
says 'without CPUID' unknown 4 pt good 'ToPA tables of one region; CR3 filter no, 0 address ranges, CYC yes, MTC yes'

# The wire
machine unplugged
echo 0 >"$card/net/eno1/carrier"
says 'no link' yes 0 link note 'eno1 has no link'
second=$dir/sys/bus/pci/devices/0000:02:00.0
mkdir -p "$second/net/enp2s0"
echo 0x020000 >"$second/class"
echo 0x8086 >"$second/vendor"
echo 0x1533 >"$second/device"
echo 1 >"$second/net/enp2s0/carrier"
says 'a second card has one' yes 0 card good 'I210 at 0000:02:00.0, enp2s0'
printf 'Iface\tDestination\tGateway\nenp2s0\t0001A8C0\t0\nenp2s0\t00000000\t0101A8C0\n' >"$dir/proc/net/route"
says 'which is the way to everywhere' yes 0 card note "own network uses enp2s0"
machine strange
echo 0xffff >"$card/device"
says 'a card that is not driven' yes 0 wire note 'only serial lines'
echo 0 >"$dir/sys/class/tty/ttyS0/type"
says 'and no serial port' no 2 wire bad 'cannot be sent'

# Firmware and what there is to boot
machine secure
printf '\6\0\0\0\1' >"$variables/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
says 'Secure Boot' no 2 secure-boot bad on
printf '\6\0\0\0\1' >"$variables/MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23"
says 'which shim does not follow' yes 0 secure-boot good off
machine hidden
rm -r "$variables"
says "UEFI's variables are not there" unknown 4 secure-boot unseen ''
machine remapped
mkdir -p "$dir/sys/class/iommu/dmar0" "$dir/sys/class/iommu/dmar1"
says 'VT-d is on' yes 0 vt-d note 'which this kernel uses'
printf '%s\n' '0x1b 0xfee00d00' '0xbd 0x1' '0x10a 0x200000' >>"$dir/dev/cpu/0/msr"
says 'and x2APIC mode is locked' yes 0 vt-d note 'x2APIC mode is locked'
sed -i 's/^0x10a .*/0x10a 0x0/' "$dir/dev/cpu/0/msr"
says 'a register that the CPU does not have' yes 0 vt-d note 'which this kernel uses'
machine empty
head -c 1000 build/guests/branches.bzImage >"$dir/boot/vmlinuz-6.1.0-44-amd64"
says 'a kernel that is cut off' yes 0 kernel note 'the file ends before the kernel does'
rm -r "$dir/boot"
says 'no /boot' yes 0 boot-loader note 'no menu'

# How distributions start
version=$(sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
packages="apt install ./undertrace_${version}_amd64.deb ./undertrace-boot_${version}_amd64.deb    # from make deb"
choose="reboot    # and choose the submenu Undertrace in GRUB's menu"
efi_entry='\EFI\undertrace\undertrace.efi'
machine debian_uefi
says 'Debian 12, UEFI' yes 0 multiboot2 good /boot/grub/x86_64-efi/multiboot2.mod
says 'its loader' yes 0 boot-loader good 'GRUB (/boot/grub/grub.cfg), started by UEFI firmware'
says 'its menu' yes 0 menu good update-grub
next_is 'Debian 12, UEFI' "$packages; $choose"
printf '\6\0\0\0\1' >"$variables/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
says 'Debian 12 with Secure Boot' no 2 secure-boot bad "GRUB's lockdown then refuses the module multiboot2"
next_is 'Debian 12 with Secure Boot' 'systemctl reboot --firmware-setup    # and turn Secure Boot off there; undertrace doctor'
: >"$variables/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"
says 'and shim' no 2 secure-boot bad on
next_is 'and shim' 'mokutil --disable-validation; reboot    # and enter the password in the blue screen; undertrace doctor'
machine bios
rm -r "$dir/sys/firmware"
says 'BIOS' yes 0 multiboot2 note "GRUB's module for i386-pc was not found"
mkdir -p "$dir/usr/lib/grub/i386-pc"
head -c 1500000 /dev/zero >"$dir/usr/lib/grub/i386-pc/multiboot2.mod"
says 'BIOS, the module in the package of GRUB only' yes 0 multiboot2 note '/usr/lib/grub/i386-pc, where GRUB does not look'
says 'which needs space' yes 0 boot-space good "$((3072 + 1465)) KiB are required"
echo GRUB_DEFAULT=saved >"$dir/etc/default/grub"
says 'BIOS, one boot' yes 0 boot-loader good 'started by a BIOS'
next_is 'BIOS' "$packages; cp -r /usr/lib/grub/i386-pc /boot/grub/; grub-reboot 'undertrace>undertrace-6.1.0-44-amd64' && reboot"
machine full
df_of 3071
says 'a full /boot' yes 0 boot-space note '/boot has 3071 KiB left; 3072 KiB are required'
df_of 3072
says 'just enough' yes 0 boot-space good '/boot has 3072 KiB left'
cp build/undertrace.elf build/undertrace.efi "$dir/boot/"
df_of 10
says 'the image is there already' yes 0 boot-space good '0 KiB are required'
mkdir "$dir/etc/grub.d"
: >"$dir/etc/grub.d/25_undertrace"
says 'and its script' yes 0 menu good 'update-grub makes it'
next_is 'installed, not in the menu' "update-grub; $choose"
grep "^echo \"submenu 'Undertrace'" packaging/grub.d/25_undertrace | sed 's/^echo "//; s/"$//' >"$dir/boot/grub/grub.cfg"
says 'in the menu' yes 0 menu good 'Undertrace is in it'
next_is 'in the menu' "$choose"
same 'the image is not larger than what the doctor asks for' "$(($(cat build/undertrace.elf build/undertrace.efi | wc -c) <= 3072 << 10))" 1
machine fedora
rm -r "$dir/boot/grub" "$dir/usr/sbin/update-grub" "$dir/etc/debian_version"
mkdir -p "$dir/boot/grub2" "$dir/boot/loader/entries" "$dir/usr/lib/grub/x86_64-efi" "$dir/boot/efi/EFI"
: >"$dir/boot/grub2/grub.cfg"
: >"$dir/boot/loader/entries/0123-6.8.conf"
: >"$dir/usr/sbin/grub2-mkconfig"
: >"$dir/usr/lib/grub/x86_64-efi/multiboot2.mod"
printf '%s\n' GRUB_DEFAULT=saved GRUB_ENABLE_BLSCFG=true >"$dir/etc/default/grub"
says 'Fedora: BLS' yes 0 menu note '/boot/loader/entries'
says 'its module is not where GRUB looks' yes 0 multiboot2 note '/usr/lib/grub/x86_64-efi'
next_is 'Fedora' "make install install-boot    # in the source of Undertrace; cp -r /usr/lib/grub/x86_64-efi /boot/grub2/; grub2-mkconfig -o /boot/grub2/grub.cfg; grub2-reboot 'undertrace>undertrace-6.1.0-44-amd64' && reboot"
machine arch
rm -r "$dir/boot/grub" "$dir/usr/sbin/update-grub" "$dir/etc/debian_version"
mkdir -p "$dir/boot/EFI" "$dir/boot/loader/entries" "$dir/proc/self"
echo '/dev/nvme0n1p1 /boot vfat rw 0 0' >"$dir/proc/self/mounts"
printf 'timeout 3\n' >"$dir/boot/loader/loader.conf"
says 'Arch: systemd-boot' yes 0 boot-loader note 'systemd-boot, which loads no Multiboot2 image'
next_is 'Arch' "make install install-boot    # in the source of Undertrace; install -D -m 644 /boot/undertrace.efi /boot/EFI/undertrace/undertrace.efi; printf '%s\\n' 'net.ip=dhcp net.peer=announce' 'load=\\EFI\\systemd\\systemd-bootx64.efi' >/boot/EFI/undertrace/undertrace.cfg; efibootmgr -c -d /dev/nvme0n1 -p 1 -L Undertrace -l '$efi_entry'; reboot    # the new boot entry is the first one; efibootmgr -o changes the order"
rm "$dir/boot/loader/loader.conf"
mkdir -p "$dir/boot/grub" && : >"$dir/boot/grub/grub.cfg"
says 'GRUB as well' yes 0 boot-loader good GRUB
{ printf '\6\0\0\0' && printf 'systemd-boot 255' | iconv -t UTF-16LE; } >"$variables/LoaderInfo-4a67b082-0a4c-47cf-b6c7-442aa0b8bfb1"
says 'the firmware says who started it' yes 0 boot-loader note systemd-boot
sed -i 's:^/dev/nvme0n1p1 :/dev/sda12 :' "$dir/proc/self/mounts"
says 'a disk of another kind' yes 0 boot-loader note systemd-boot
check 'a disk of another kind: the partition' jq -e '.next[3] | contains("-d /dev/sda -p 12 ")' "$dir.json"

# Here
build/undertrace doctor --json >"$work/here.json"
status=$?
same 'this machine gets a verdict and its status' "$(jq -r '{yes: 0, no: 2, "single-steps": 3, unknown: 4}[.verdict]' "$work/here.json")" $status
build/undertrace doctor --root "$work/nowhere" >"$work/nowhere.log" 2>&1
same 'what is no directory is said, in one line' "$? $(wc -l <"$work/nowhere.log")" '1 1'

# What a new user may hand it, and hardware: one line that says what is wrong, and status 1.
machine nothing
rm -r "$dir"/*
says 'no file at all' no 2 cpu unseen 'names no vendor'
machine junk
head -c 20000 build/undertrace >"$dir/proc/cpuinfo"
head -c 20000 build/undertrace >"$dir/dev/cpu/0/cpuid"
says 'files that are junk' unknown 4 cpu unseen 'names no vendor' 2>/dev/null
refuses() {
    local text=$1
    shift
    same "$* is refused" "$("$@" 2>&1 >/dev/null) $("$@" >/dev/null 2>&1; echo $?)" "undertrace: $text 1"
}
none='is neither a capture nor a file that undertrace hardware has written'
: >"$work/blank"
mkdir "$work/directory"
mkfifo "$work/pipe"
refuses "doctor: $work/blank: is not a directory" build/undertrace doctor --root "$work/blank"
refuses "$work/nowhere: No such file or directory" build/undertrace hardware "$work/nowhere"
refuses "$work/blank: $none" build/undertrace hardware "$work/blank"
refuses "$work/pipe: $none" build/undertrace hardware "$work/pipe"
refuses "build/undertrace: $none" build/undertrace hardware build/undertrace
refuses "$work/blank: is a file; -o requires a capture, which is a directory" build/undertrace hardware "$work/blank" -o "$work/x"
refuses "$work/directory/events.bin: not a capture: a capture is a directory that undertrace receive -o has created: No such file or directory" \
    build/undertrace hardware "$work/directory"
printf 'undertrace hardware 1\ncpu_family 6\n' >"$work/cut"
refuses "$work/cut: is truncated: its last line (end) is missing; copy it again" build/undertrace hardware "$work/cut"
unprivileged='setpriv --reuid=65534 --regid=65534 --clear-groups'
if [ "$(id -u)" != 0 ]; then
    unprivileged=
elif ! $unprivileged test -x build/undertrace; then
    unprivileged=false
fi
chmod 000 "$work/cut"
if [ "$unprivileged" = false ]; then
    skip 'a file that may not be read' 'an unprivileged user cannot reach this directory'
else
    # shellcheck disable=SC2086 # a list of words
    refuses "$work/cut: Permission denied" $unprivileged build/undertrace hardware "$work/cut"
fi
printf 'undertrace hardware 1\ncpu_brand A\33[31mred\nend\n' >"$work/escape"
same 'what would command the terminal is not handed to it' "$(build/undertrace hardware "$work/escape" | head -n 1)" 'A?[31mred'
done_testing
