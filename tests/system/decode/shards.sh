#!/bin/bash
# Captures decoded in parts: by hand, by GNU parallel and as a job array of Slurm, all merged, must yield what one process does.
# The lists of branches are compared byte by byte, the texts without their seconds.
#
# usage: shards.sh [CAPTURE...]      without one, guests are booted
. tests/system/lib.sh

if [ $# -eq 0 ]; then
    WIRE='rate=10' check 'load runs, and drops' boot_guest load load 'channel=e1000 net.mtu=9000 pt.region=64K pt.regions=4 policy=drop'
    CPUS=2 check 'smp runs on two CPUs' boot smp build/guests/smp.bzImage '' cpus=2 'channel=e1000 net.mtu=9000'
    set -- "$work"/{load,smp}/capture
fi
tool=$PWD/build/undertrace

# Without the time that it took; and without blackouts, which results of parts do not have (docs/report.md).
timeless() {
    sed -E 's/^( *seconds +).*/\1/; s/"decode": [0-9.]+/"decode": /; /^ *"?blackouts/d'
}

# whole CAPTURE: what one process makes of it, in $work/whole.
whole() {
    rm -rf "$work/whole"
    mkdir -p "$work/whole"
    $tool decode "$1" --branches "$work/whole/branches" >"$work/whole/sums" 2>"$work/whole/said"
    $tool report "$1" --json "$work/whole/json" >"$work/whole/report" 2>"$work/whole/report.said"
}

# merged NAME CAPTURE DIR NR: the results and lists 1 to NR in DIR are the whole.
merged() {
    local name=$1 capture=$2 dir=$3 nr=$4 file
    $tool merge "$capture" "$dir"/*.result >"$dir/sums" 2>"$dir/said"
    $tool merge "$capture" "$dir"/*.result --report --json "$dir/json" >"$dir/report" 2>"$dir/report.said"
    for file in sums said report report.said json; do
        check "$name: $file" diff <(timeless <"$work/whole/$file") <(timeless <"$dir/$file")
    done
    # shellcheck disable=SC2046 # numbers
    cat $(seq -f "$dir/%.0f.branches" "$nr") >"$dir/branches"
    check "$name: $(wc -l <"$dir/branches") branches" cmp "$dir/branches" "$work/whole/branches"
}

# by_hand CAPTURE NR
by_hand() {
    local dir=$work/hand.$2 i
    mkdir -p "$dir"
    for ((i = $2; i > 0; i--)); do
        $tool decode "$1" --shard "$i/$2" --result "$dir/$i.result" >/dev/null 2>&1
        $tool decode "$1" --shard "$i/$2" --result "$dir/$i.second" --branches "$dir/$i.branches" >/dev/null 2>&1
    done
    merged "$name, $2 parts" "$1" "$dir" "$2"
}

for capture in "$@"; do
    name=$(basename "$(dirname "$capture")")
    rm -rf "$work"/hand.*
    whole "$capture"
    for nr in 1 2 7 40; do by_hand "$capture" "$nr"; done
done
last=$capture
capture=$1
whole "$capture"

# What docs/shards.md says.
if command -v parallel >/dev/null; then
    mkdir "$work/parallel"
    check 'GNU parallel decodes five parts' parallel -j 2 "$tool decode $capture --shard {}/5 --result $work/parallel/{}.result \
        --cpu 0 --branches $work/parallel/{}.branches >$work/parallel/{}.log 2>&1; test \$? -ne 1" ::: 1 2 3 4 5
    merged 'GNU parallel' "$capture" "$work/parallel" 5
else
    skip 'GNU parallel' 'it is not installed (parallel)'
fi

why=$(tests/rig/slurm.sh start "$work/slurm")
case $? in
0)
    SLURM_CONF=$(realpath "$work")/slurm/slurm.conf
    export SLURM_CONF
    mkdir "$work/array"
    cat >"$work/array/job" <<EOF
#!/bin/sh
n=\$SLURM_ARRAY_TASK_ID
$tool decode $capture --shard \$n/\$SLURM_ARRAY_TASK_COUNT --result $work/array/\$n.result --cpu 0 --branches $work/array/\$n.branches
EOF
    check 'Slurm takes a job array' sbatch --array=1-5 --chdir="$PWD" --output="$work/array/%a.log" "$work/array/job"
    # The node works as long as its daemon lives.
    while [ -n "$(squeue -h)" ] && [ -d "/proc/$(cat "$work/slurm/slurmd.pid")" ]; do sleep 0.2; done
    tests/rig/slurm.sh stop "$work/slurm"
    merged 'a job array of Slurm' "$capture" "$work/array" 5
    ;;
77) skip 'a job array of Slurm' "$why" ;;
*) fail 'Slurm' "$why" ;;
esac

capture=$last
# refused NAME TEXT FILE...: merge does not make a whole of these.
refused() {
    local name=$1 text=$2 log
    shift 2
    log=$($tool merge "$@" 2>&1)
    same "$name is refused, in one line" "$? $(wc -l <<<"$log") $(grep -cF -- "$text" <<<"$log")" '1 1 1'
}
parts=("$work"/hand.7/?.result)
refused 'a part that is missing' 'part 7 of 7 is missing' "$capture" "${parts[@]:0:6}"
refused 'a part that is there twice' 'line 3' "$capture" "${parts[@]}" "${parts[0]}"
refused 'parts of two kinds of cut' 'line 3' "$capture" "${parts[@]:0:6}" "$work/hand.2/1.result"
head -n 5 "${parts[0]}" >"$work/cut"
refused 'a result that is cut off' 'line' "$capture" "$work/cut" "${parts[@]:1}"
sed '2s/ .*/ 00000000/' "${parts[0]}" >"$work/other"
refused 'another capture' 'line 2' "$capture" "$work/other" "${parts[@]:1}"
for word in 0/3 4/3 1/0 1 x/2 1/2x 1/65537; do
    $tool decode "$capture" --shard $word --result "$work/none" >/dev/null 2>&1
    same "--shard $word is refused" "$? $([ -e "$work/none" ] && echo written)" '1 '
done
done_testing
