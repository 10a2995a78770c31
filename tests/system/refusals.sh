#!/bin/bash
# What cannot be done is refused in one clear message on the console; without Intel PT the guest still runs.
. tests/system/lib.sh

export CHANNEL=none MEMORY=256 TIMEOUT=60
guest=build/guests/branches.bzImage

# refused NAME TEXT: boots what the words of `boot` behind it describe, and waits for the text.
refused() {
    local name=$1 text=$2
    shift 2
    UNTIL="undertrace: $text" check "$name: \"$text\"" boot "$@"
}

CPU=corei7_sandy_bridge_2600k
export CPU
refused 'an unknown option' 'bad option "pt.regoin=1M": expected' option "$guest" '' '' 'pt.regoin=1M'
refused 'a bad value' 'bad option "pt.regions=2": expected' value "$guest" '' '' 'pt.regions=2'
refused 'a policy that is not here yet' 'bad option "policy=drop": expected' policy "$guest" '' '' 'policy=drop'
refused 'no kernel' 'no kernel: expected' no_kernel '' '' '' ''
refused 'a kernel that is no bzImage' 'kernel: ' no_bzimage Makefile '' '' ''
MEMORY=32 refused 'too little memory' 'too little memory' memory "$guest" '' '' 'pt.region=4M pt.regions=16'

CPU=core2_penryn_t9600
refused 'a CPU without what VMX needs' 'this CPU' no_unrestricted "$guest" '' '' ''
CPU=athlon64_clawhammer
refused 'a CPU without VMX' 'this CPU' no_vmx "$guest" '' '' ''

# Without Intel PT: said, and the guest boots and powers off.
CPU=corei7_skylake_x
PTMODEL=profile=none check 'a CPU without Intel PT still runs the guest' boot no_pt "$guest" '' '' 'channel=none'
console_has 'and the console says why' no_pt 'undertrace: this CPU has no Intel PT (CPUID.07H:EBX[25] is 0)'
console_has 'and the guest is in order' no_pt 'branches: ok'
PTMODEL=profile=novmxpt check 'a CPU without PT in VMX operation still runs the guest' \
    boot no_vmx_pt "$guest" '' '' 'channel=none'
console_has 'and the console says why' no_vmx_pt '(IA32_VMX_MISC[14] is 0)'
console_has 'and the guest is in order' no_vmx_pt 'branches: ok'
check 'pt=off runs the guest' boot off "$guest" '' '' 'pt=off channel=none'
console_has 'and the guest is in order' off 'branches: ok'
done_testing
