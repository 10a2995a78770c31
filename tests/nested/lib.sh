# What the tests under nested KVM share: a Linux with KVM and QEMU in the emulator, and images for it. Sourced, from the top.
. tests/system/lib.sh

# image NAME KERNEL INITRD CMDLINE OPTIONS: an image for `nested`.
image() {
    mkdir -p "$work/images"
    VMLINUZ=$(vmlinuz_of "$2") ELF=build/undertrace.elf KERNEL=$2 INITRD=$3 CMDLINE=$4 OPTIONS=$5 tests/rig/iso.sh "$work/images/$1.iso"
    echo "$5" >"$work/images/$1.options"
}

# nested BOOTS: start the Linux and have it boot images, "NAME:CPUS,NAME:CPUS"; what they leave is in $work/NAME.CPUS (see
# tests/nested/boots). The emulated CPU has Intel PT; KVM hides it. Its TSC counts instructions, and its CPUID says 500 MHz: what
# Linux, firmware and boot loaders wait for, in seconds, is less to emulate.
nested() {
    tests/nested/linux.sh build/guest/kvm-modules "$work/initrd" "$work/disk" "$work"/images/* || return
    ELF= KERNEL=build/guest/unpacked INITRD=$work/initrd CMDLINE="console=ttyS0 panic=-1 mitigations=off loglevel=4 boots=$1" \
        tests/rig/iso.sh "$work/linux.iso" || return
    ISO=$work/linux.iso OUTPUT=$work/disk CHANNEL=none PTMODEL="profile=skylake, cpuid15=1:14:17d7840" \
        tests/rig/boot.sh "$work/linux" || return
    tar -C "$work" -xf "$work/disk" && rm -r "$work/images" "$work/initrd" "$work/linux.iso" "$work/disk"
}

# listed: the branches that the emulator's list has, of `nested` with BRANCHES.
listed() {
    od -An -v -t x8 -w16 "$work/linux/branches.bin" | cut -c 2-
}

# decoded BOOT CPU: those that were decoded.
decoded() {
    build/undertrace decode "$work/$1/capture" --cpu "$2" --branches - 2>"$work/$1/decode.log" | grep -E '^[0-9a-f]{16} '
}

# exits_of_kvm BOOT, exits_of_end BOOT: "REASON COUNT" of each basic exit reason, by number: as KVM has counted what it handed
# to the hypervisor, and as the hypervisor's end records of all CPUs say.
exits_of_kvm() {
    sed -n 's/^{ exit_code: *\([0-9]*\) } hitcount: *\([0-9]*\)$/\1 \2/p' "$work/$1.exits" | sort -n
}
exits_of_end() {
    info "$1" '.streams[].end | to_entries[] | select(.key | startswith("exit.")) | "\(.key[5:]) \(.value)"' |
        awk 'FNR == NR { if ($1 ~ /^EXIT_REASON_/) number[tolower(substr($1, 13))] = $3 + 0; next }
            { sum[number[$1]] += $2 }
            END { for (reason in sum) print reason, sum[reason] }' vmx/cpu/exit_reasons.h - | sort -n
}

# powered_off NAME CPUS SAYS: the boot NAME:CPUS ended by power-off, its console shows SAYS, its records came whole.
powered_off() {
    local boot=$1.$2 ended
    if [ "$(cat "$work/$boot.status")" = 0 ]; then
        pass "$1 on $2: runs to power-off, received and reported"
    else
        fail "$1 on $2: runs to power-off, received and reported" "$(tail -n 5 "$work/$boot.log")"
        return
    fi
    console_has "$1 on $2: its console says \"$3\"" "$boot" "$3"
    ended=$(info "$boot" '"\(.ended) \(.checksums) \(.gaps | length) \(.damage | length) \([.streams[] | select(.end)] | length)"')
    same "$1 on $2: the end of each CPU came, no gap, no damage" "$ended" "true true 0 0 $2"
    same "$1 on $2: KVM has counted the same VM exits, by reason" "$(exits_of_end "$boot")" "$(exits_of_kvm "$boot")"
}

# failed NAME CPUS SAYS: run-kvm.sh ended with 1 and said so.
failed() {
    local boot=$1.$2
    same "$1 on $2: run-kvm.sh ends with 1" "$(cat "$work/$boot.status")" 1
    check "$1 on $2: and says \"$3\"" grep -qF -- "$3" "$work/$boot.log"
}
