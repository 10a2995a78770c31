#!/bin/bash
# On a Debian 12 of your own, as root: boot its kernel under Undertrace in KVM, or say why that cannot be done here.
set -eu
modprobe -r kvm_intel 2>/dev/null || true # where a virtual machine runs it stays as it is
modprobe kvm_intel nested=1 2>/dev/null || true
apt-get update -qq && apt-get install -y -qq make
status=0
tests/rig/run-kvm.sh all "KERNEL=$(readlink -f /vmlinuz)" CPUS=2 || status=$?
case $status in
0) echo 'the guest powered off; build/run-kvm has its console, its capture and summary.json' ;;
77) echo 'skipped: nested VMX cannot be had here' ;;
*) echo "failed with $status" >&2 ;;
esac
exit "$status"
