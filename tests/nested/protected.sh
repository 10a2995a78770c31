#!/bin/bash
# vtd=on under a guest that runs: a device of QEMU's that copies memory on command is kept from the hypervisor's, and what the unit
# has blocked is reported while the guest runs; a unit that fails the guest is switched off, and the guest continues.
# Also with our card on another PCI segment.
. tests/nested/lib.sh

image dma build/guests/dma.bzImage '' '' 'pt=off vtd=on'
cat >"$work/images/dma.qemu" <<'QEMU'
#!/bin/bash
exec qemu-system-x86_64 -machine q35 -device intel-iommu "$@" -device edu,dma_mask=0xffffffff
QEMU
cp "$work/images/dma.qemu" "$work/images/segment.qemu"
tests/rig/mcfg.sh 1 >"$work/mcfg.aml"
TABLES=$work/mcfg.aml image segment build/guests/dma.bzImage '' look 'pt=off vtd=on channel=net net.card=0001:00:03.0'
image hostile build/guests/hostile.bzImage '' shared 'pt=off'
check 'a Linux with KVM runs in the emulator' nested dma:1,segment:1,hostile:1
powered_off dma 1 'dma: ok'
console_has 'devices are kept from our memory' dma.1 'VT-d: devices can access all memory except ours'
console_has 'what is the guest'\''s is copied' dma.1 'dma: copied 1'
console_has 'and still is after blocked accesses' dma.1 'dma: copied after that 1'
build/undertrace info "$work/dma.1/capture" >"$work/info"
start=$(sed -n 's/.*undertrace: reserved memory: \([0-9a-f]*\) to .*/\1/p' "$work/dma.1/console.txt")
check 'the receiver has it that a write to ours was refused' grep -q "VT-d: blocked a write at ${start%000}... by device .* (fault reason 5)" "$work/info"
console_has 'a unit that fails the guest' dma.1 'dma: copied by tables astray 0'
check 'is reported' grep -q 'VT-d: blocked a .* (fault reason 1)' "$work/info"
check 'and switched off' grep -q 'VT-d: that is not our memory, so all units have been switched off (0 failed)' "$work/info"
console_has 'as the guest sees' dma.1 'dma: the unit is on 0'
console_has 'and its device works again' dma.1 'dma: copied without a unit 1'

# The card is on another PCI segment, which only ECAM reaches (as tests/system/boot/segments.sh has it): a guest's boot with it.
powered_off segment 1 'dma: ok'
console_has 'the card is that one' segment.1 'channel=net: the 82540EM at 1:0:3.0'
console_has 'VT-d stays off' segment.1 'VT-d: vtd=on, but our memory is not protected: our card is not on PCI segment 0'
console_has 'its page in ECAM is hidden' segment.1 'dma: ECAM shows the card 0'
console_has 'and no other' segment.1 'dma: ECAM shows the host bridge 1'

# KVM itself writes where a guest's MSRs say.
powered_off hostile 1 'hostile: ok'
console_has 'KVM writes its clock to the guest'\''s memory' hostile.1 'hostile: the page of the guest is written 1'
console_has 'of which nothing is refused' hostile.1 'hostile: refused addresses of the guest 0'
console_has 'but not to ours' hostile.1 'hostile: refused addresses of the hypervisor 5'
done_testing
