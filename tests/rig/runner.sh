#!/bin/bash
# Run tests that speak TAP, one more at a time than there are processors, and count: the last line is "N passed, N failed,
# N skipped".
#
# usage: runner.sh [-j JOBS] [-o DIR] TEST...
#
# A test is an executable. It fails when it exits non-zero, prints "not ok", or does not print the plan "1..N" with as
# many results; "ok ... # SKIP reason" is a skip. DIR (build/tests) receives each test's output as NAME.log. The seconds shown are
# those that a test took of the CPUs, with all that it ran and waited for.
set -u

jobs=$(($(nproc) + 1)) # some tests wait, for a wire that is cut or a receiver that gives up
logs=build/tests
while getopts j:o: option; do
    case $option in
    j) jobs=$OPTARG ;;
    o) logs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# Print what one finished test has to say, and add its results to the totals.
passed=0 failed=0 skipped=0 cpu_tenths=0
account() {
    local test=$1 code=$2 log=$3 ok not_ok skip planned tenths
    skip=$(grep -c '^ok .*# SKIP' "$log")
    ok=$(($(grep -c '^ok ' "$log") - skip))
    not_ok=$(grep -c '^not ok ' "$log")
    planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | tail -n 1)
    : "${planned:=none}"
    if [ "$code" -ne 0 ] && [ "$not_ok" -eq 0 ]; then
        echo "not ok - exit code $code" >>"$log"
        not_ok=1
    elif [ "$planned" != $((ok + not_ok + skip)) ] || [ "$planned" = 0 ]; then
        echo "not ok - results planned: $planned, results that came: $((ok + not_ok + skip))" >>"$log"
        not_ok=$((not_ok + 1))
    fi
    passed=$((passed + ok)) failed=$((failed + not_ok)) skipped=$((skipped + skip))
    tenths=$(awk -F '[ms ]' 'END { print int(600 * ($1 + $4) + 10 * ($2 + $5)) }' "$log.times" 2>/dev/null)
    cpu_tenths=$((cpu_tenths + ${tenths:=0}))
    printf '%-6s %-38s %3d passed, %d failed, %d skipped, %d s\n' \
        "$([ "$not_ok" -eq 0 ] && echo pass || echo FAIL)" "$test" "$ok" "$not_ok" "$skip" $((tenths / 10))
    grep '^ok .*# SKIP' "$log" | sed 's/^ok[ 0-9-]*/       skipped: /'
    if [ "$not_ok" -ne 0 ]; then
        grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/       /'
    fi
}

# Take in the tests that have ended: those that left an exit code.
declare -A name_of=() log_of=()
reap() {
    local pid
    wait -n 2>/dev/null
    local none_left=$(($? == 127))
    for pid in "${!name_of[@]}"; do
        [ -s "${log_of[$pid]}.code" ] || [ "$none_left" -eq 0 ] || echo 137 >"${log_of[$pid]}.code"
        [ -s "${log_of[$pid]}.code" ] || continue
        account "${name_of[$pid]}" "$(cat "${log_of[$pid]}.code")" "${log_of[$pid]}"
        rm -f "${log_of[$pid]}".{code,times}
        unset "name_of[$pid]" "log_of[$pid]"
    done
}

# Each test is a session of its own, so that an interrupted run leaves no emulator running. Its exit code comes through
# a file: it is there however the test ended. Before it the times that it took of the CPUs, as its duration is this
# machine's matter.
start() {
    local test=$1 log=$2
    rm -f "$log".{code,times}
    CMOCKA_MESSAGE_OUTPUT=TAP setsid bash -c '"$1" >"$2" 2>&1 </dev/null; code=$?; times >"$2.times"; echo $code >"$2.code"' \
        - "$test" "$log" 2>/dev/null &
    name_of[$!]=$test log_of[$!]=$log
}

stop() {
    for pid in "${!name_of[@]}"; do kill -TERM -- "-$pid" 2>/dev/null; done
    exit 130
}
trap stop INT TERM

mkdir -p "$logs"
doubled=$(basename -a -s .sh "$@" | sort | uniq -d)
if [ -n "$doubled" ]; then
    echo "runner: two tests of one name would share a log and a folder: $doubled" >&2
    exit 1
fi
for test in "$@"; do
    while [ "${#name_of[@]}" -ge "$jobs" ]; do reap; done
    start "$test" "$logs/$(basename "$test" .sh).log"
done
while [ "${#name_of[@]}" -gt 0 ]; do reap; done

echo "$((cpu_tenths / 10)) s of the CPUs' time, user and system"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
