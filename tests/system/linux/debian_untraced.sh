#!/bin/bash
# Debian's kernel with tracing off: how little a thin hypervisor costs. 968 exits are unavoidable in this boot (CPUID and
# XSETBV exit always).
. tests/system/lib.sh

check 'Debian boots to power-off with pt=off' boot debian build/guest/moved build/guest/initrd "$CMDLINE $short_boot" 'pt=off'
console_has 'its workload is done' debian 'init: done'
at_most 'VM exits after the first entry' "$(truth debian exits)" 2000
at_most 'root instructions after the first entry' "$(truth debian root_instructions)" 1500000
clean_log debian
same 'no trace was written' "$(truth debian trace_bytes)" 0
done_testing
