#!/bin/bash
# A Slurm of its own for tests: one node, this machine, with all that it writes in one directory. It needs to be root.
#
# usage: slurm.sh start|stop DIR      start: exit status 77 and a reason where it cannot be had; SLURM_CONF is DIR/slurm.conf
set -u

command=${1:-} dir=$(realpath -m "${2:?a directory}")

# Sockets' names must be short, wherever the tree is.
socket_of() {
    echo "/tmp/munge.$(cksum <<<"$dir" | cut -d ' ' -f 1)"
}

# Only what this script started.
stop() {
    local name pid
    for name in slurmd slurmctld munged; do
        pid=$(cat "$dir/$name.pid" 2>/dev/null) || continue
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$name" ] && kill "$pid" && tail --pid="$pid" -f /dev/null
    done
    rm -f "$(socket_of)"*
}

cannot() {
    echo "$1: $(tail -q -n 2 "$dir"/*.log 2>/dev/null | tr '\n' ' ')"
    stop
    exit 77
}

# A port without a listener.
free_port() {
    local port=$1
    while ss -Hltn "sport = :$port" | grep -q .; do port=$((port + 1)); done
    echo "$port"
}

configure() {
    local cpus controller node
    cpus=$(nproc) controller=$(free_port 26817)
    node=$(free_port $((controller + 1)))
    cat >"$dir/slurm.conf" <<EOF
ClusterName=undertrace
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$node
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$(socket_of)
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
EOF
    # A plugin must be named; nothing asks it for anything.
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint=%s/cgroup\n' "$dir" >"$dir/cgroup.conf"
}

start() {
    local try
    [ "$(id -u)" -eq 0 ] || cannot 'it needs root'
    command -v slurmctld slurmd munged sbatch ss >/dev/null || cannot 'slurmctld, slurmd, slurm-client, munge or iproute2 is not installed'
    rm -rf "$dir"
    mkdir -p "$dir/state" "$dir/spool"
    chmod 700 "$dir"
    head -c 1024 /dev/urandom >"$dir/munge.key"
    chmod 400 "$dir/munge.key"
    configure
    export SLURM_CONF=$dir/slurm.conf
    munged --force --socket="$(socket_of)" --key-file="$dir/munge.key" --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" \
        --seed-file="$dir/munge.seed" >"$dir/start.log" 2>&1 || cannot 'munged does not start'
    slurmctld -c >>"$dir/start.log" 2>&1 || cannot 'slurmctld does not start'
    slurmd -c >>"$dir/start.log" 2>&1 || cannot 'slurmd does not start'
    # As long as both are alive, the node comes up.
    for ((try = 0; try < 600; try++)); do
        [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return
        [ -d "/proc/$(cat "$dir/slurmd.pid" 2>/dev/null)" ] || cannot 'slurmd ends'
        sleep 0.2
    done
    cannot "its node is $(sinfo -h -o '%T %E' 2>&1)"
}

case $command in
start | stop) "$command" ;;
*)
    echo 'usage: slurm.sh start|stop DIR' >&2
    exit 2
    ;;
esac
