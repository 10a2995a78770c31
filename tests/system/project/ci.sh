#!/bin/bash
# docs/ci.md: its examples are the files in docs/ci/, word for word; the gate that they use lets a good run through and stops
# the others; and where KVM cannot be had that is status 77.
. tests/system/lib.sh

# The lines of docs/ci.md between a file's marks, without the fence.
shown() {
    sed -n "\|^<!-- $1: begin -->\$|,\|^<!-- $1: end -->\$|p" docs/ci.md | sed '1,2d;$d' | sed '$d'
}
for file in docs/ci/*; do
    shown "$file" >"$work/shown"
    check "docs/ci.md shows $file as it is" diff "$work/shown" "$file"
done
for file in docs/ci/*.sh; do check "$file is a script" bash -n "$file"; done

# What the YAML files have done, as a parser reads it.
read_yaml() {
    /usr/bin/python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)' "$1"
}
check 'github.yml is YAML' eval 'read_yaml docs/ci/github.yml >"$work/github.json"'
check 'gitlab.yml is YAML' eval 'read_yaml docs/ci/gitlab.yml >"$work/gitlab.json"'
same 'both have two jobs' "$(jq -c '.jobs | keys' "$work/github.json") $(jq -c 'del(.default) | keys' "$work/gitlab.json")" \
    '["emulator","kvm"] ["emulator","kvm"]'
jq -r '.jobs[].steps[].run // empty' "$work/github.json" >"$work/commands"
jq -r '.default.before_script[], .kvm.script[], .emulator.script[]' "$work/gitlab.json" >>"$work/commands"
check 'their commands are a shell'"'"'s' sh -n "$work/commands"
# Such a machine has make and no compiler: only these of make's goals install what they need.
same 'and call make for a goal that installs what it needs' "$(sed -n 's/^ *make \([^ ]*\).*/\1/p' "$work/commands" | sort -u)" run
same 'in both jobs' "$(grep -c '^ *make run ' "$work/commands")" 2

# Every target and script that the examples call is there, and takes these words.
for word in $(grep -ohE '(tests|docs)/[a-z/-]+\.sh' docs/ci/*.yml docs/ci/*.sh | sort -u); do
    check "$word, which the examples call, is there" test -x "$word"
done

check 'a guest is traced' boot_guest branches branches 'channel=e1000 net.mtu=9000 pt.retc=off'
capture=$work/branches/capture
# gate PERCENT: the gate's exit status.
gate() {
    docs/ci/gate.sh "$capture" "$work/baseline" 0000000001000000 0000000001000aff "$1" >"$work/gate.log" 2>&1
    echo $?
}
same 'the gate without a list of good branches: an error' "$(gate 100)" 1
cp "$capture.branches" "$work/baseline"
at_most 'the list has branches' 10 "$(wc -l <"$work/baseline")"
same 'a good run passes' "$(gate 100)" 0
sed -i 2d "$work/baseline"
same 'an unexpected branch is status 3' "$(gate 100)" 3
check 'and is named' grep -qxF "$(comm -13 "$work/baseline" "$capture.branches")" "$work/gate.log"
cp "$capture.branches" "$work/baseline"
echo '0000000001000a00 0000000001000a02' >>"$work/baseline"
LC_ALL=C sort -o "$work/baseline" "$work/baseline"
same 'a branch that is executed no more is status 4' "$(gate 100)" 4
same 'unless fewer will do' "$(gate 90)" 0
truncate -s -20000 "$capture/cpu0.pt"
same 'a capture that is not complete is status 2' "$(gate 100)" 2

tests/rig/run-kvm.sh check >"$work/check.log" 2>&1
status=$?
if [ -w /dev/kvm ] && grep -q '^[Y1]' /sys/module/kvm_intel/parameters/nested 2>/dev/null; then
    same 'KVM with nested VMX is found' "$status" 0
else
    same 'without nested VMX run-kvm.sh says 77' "$status" 77
    check 'what is missing' grep -q '^run-kvm: skipped: ' "$work/check.log"
    check 'and what needs none of it' grep -q 'make run needs neither KVM nor an Intel CPU' "$work/check.log"
fi

# What make ends with, with a run-kvm.sh that ends with a given status.
tree=$work/tree
mkdir -p "$tree"
for part in base boot vmx pt serial vtd decode lib tests mk Makefile; do cp -rs "$PWD/$part" "$tree"; done
rm "$tree/tests/rig/run-kvm.sh" "$tree/tests/rig/deps.sh"
printf '#!/bin/sh\ncase $1 in check) exit "$CHECK_STATUS" ;; esac\nexit "$RUN_STATUS"\n' >"$tree/tests/rig/run-kvm.sh"
printf '#!/bin/sh\n' >"$tree/tests/rig/deps.sh"
chmod +x "$tree"/tests/rig/run-kvm.sh "$tree"/tests/rig/deps.sh
# made CHECK RUN WORDS...: the status of make, where the script's check ends with CHECK, and its run with RUN.
made() {
    local check=$1 run=$2
    shift 2
    env -u MAKEFLAGS -u MAKELEVEL CHECK_STATUS="$check" RUN_STATUS="$run" make -C "$tree" SUBMAKE=true "$@" >"$work/make.log" 2>&1
    echo $?
}
same 'make run-kvm fails where the check does' "$(made 77 0 run-kvm)" 2
same 'and where the run does' "$(made 0 1 run-kvm)" 2
same 'and succeeds where both do' "$(made 0 0 run-kvm)" 0
if [ "$status" = 77 ]; then
    tests/rig/run-kvm.sh all >"$work/all.log" 2>&1
    same 'run-kvm.sh all keeps the 77 of the check' $? 77
fi
done_testing
