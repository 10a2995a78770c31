#!/bin/bash
# The three ways in which tracing crosses VM entries and exits: what each writes, and that each is exact.
. tests/system/lib.sh

icelake=profile=icelake

# packets BOOT PATTERN: how many lines of the packet dump match
packets() {
    build/undertrace dump "$work/$1/capture" | grep -cE "^[0-9a-f]+ +$2"
}

for way in root list vmcs; do
    PTMODEL=$icelake MEMORY=256 check "pt.switch=$way: a guest runs" boot_guest $way branches "pt.switch=$way"
    exact "pt.switch=$way: decoded branches equal the truth" $way
    PTMODEL=$icelake MEMORY=256 check "pt.switch=$way: small regions" boot_guest $way-4k load \
        "pt.switch=$way pt.region=4K pt.regions=16"
    exact "pt.switch=$way: exact with a PMI each 4 KiB" $way-4k
done

# With list and vmcs root is not in the trace: an entry is a TIP.PGE, an exit a TIP.PGD. The first entry is before the
# first PSB, where a dump begins; after the last exit there is none.
exits=$(truth list exits)
for way in list vmcs; do
    same "pt.switch=$way: a TIP.PGE for each VM entry" "$(packets $way 'tip.pge')" $(($(truth $way exits) - 1))
    same "pt.switch=$way: and a TIP.PGD for each exit" "$(packets $way 'tip.pgd')" "$(truth $way exits)"
    same "pt.switch=$way: no instruction of root in the trace" \
        "$(packets $way '(tip|fup|tip.pge) .*: f')" 0
done
same 'list and vmcs make the same number of exits' "$(truth vmcs exits)" "$exits"

# Without the control, the message names it.
PTMODEL=profile=skylake UNTIL='undertrace: pt.switch=vmcs: ' check 'pt.switch=vmcs without the control ends the boot' \
    boot_guest refused branches 'pt.switch=vmcs'
console_has 'the message names the control' refused 'lacks the VM-entry control "load IA32_RTIT_CTL"'
done_testing
