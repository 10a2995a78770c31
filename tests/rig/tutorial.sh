#!/bin/bash
# Run what docs/tutorial.md shows, and write what it says into it: in blocks of `console`, lines that begin with "$ " are
# commands, the others their outputs. With `check`, nothing is written: each command must succeed and say something.
#
# usage: tutorial.sh [check CAPTURE WORK]     without: build/run/capture, which `make run` makes
set -u -o pipefail

mode=${1:-write}
capture=${2:-build/run/capture}
work=${3:-build/run}
failed=0

# The command, of another capture.
shown() {
    local command=$1
    command=${command//build\/run\/capture/$capture}
    eval "${command//build\/run\//$work/}" 2>&1
}

page() {
    local inside='' command output
    while IFS= read -r line; do
        case "$line" in
        '```console') inside=1 ;;
        '```') inside= ;;
        esac
        if [ -z "$inside" ] || [ "$line" = '```console' ]; then
            printf '%s\n' "$line"
        elif [ "${line:0:2}" = '$ ' ]; then
            command=${line:2}
            printf '%s\n' "$line"
            # Where `head` has enough, what is before it may end by SIGPIPE.
            output=$(shown "$command")
            status=$?
            printf '%s\n' "$output"
            if { [ $status -ne 0 ] && [ $status -ne 141 ]; } || [ -z "$output" ]; then
                echo "tutorial: status $status: $command: $output" >&2
                failed=1
            fi
        fi
    done
    return $failed
}

if [ "$mode" = check ]; then
    page <docs/tutorial.md >"$work/tutorial.md"
else
    trap 'rm -f docs/tutorial.md.new' EXIT
    page <docs/tutorial.md >docs/tutorial.md.new && mv docs/tutorial.md.new docs/tutorial.md
fi
