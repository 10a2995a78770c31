#!/bin/bash
# A receiver that is killed as soon as the trace has so many bytes, at each of some numbers, and started again in the same directory.
#
# usage: KILL_AT='BYTES...' killed_receiver.sh receive ... -o DIRECTORY ...
#
# Exit status: that of the last one.
set -u
for ((i = 1; i < $#; i++)); do
    [ "${!i}" = -o ] && next=$((i + 1)) && directory=${!next}
done
trap 'kill -TERM $receiver' TERM
for bytes in $KILL_AT; do
    build/undertrace "$@" &
    receiver=$!
    until [ "$(stat -c %s "$directory/cpu0.pt" 2>/dev/null || echo 0)" -ge "$bytes" ] || ! kill -0 $receiver 2>/dev/null; do
        sleep 0.01
    done
    kill -KILL $receiver 2>/dev/null
    wait $receiver 2>/dev/null
    echo "killed at $bytes bytes"
done
build/undertrace "$@" &
receiver=$!
wait $receiver
status=$?
kill -0 $receiver 2>/dev/null && wait $receiver # a signal ended the wait
exit $status
