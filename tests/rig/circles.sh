#!/bin/bash
# Files call each other in one direction, by what their objects need of each other. In the hypervisor no two files call
# each other; in the host tool two may, and a larger circle is an error. Prints TAP.
#
# usage: circles.sh       (from the top; HV_OBJS and TOOL_OBJS hold objects, as the Makefile lists them)
set -u

count=0

# circles MOST OBJECTS...: each circle of more than MOST objects, and its calls. What is assembly the CPU enters: its addresses are only taken.
circles() {
    local most=$1
    shift
    nm -A -P "$@" | awk -v most="$most" '
        $1 ~ /\.S\.o:$/ { next }
        { sub(/:$/, "", $1) }
        $3 ~ /^[TW]$/ { home[$2] = $1 }
        $3 == "U" { nr_needs++; by[nr_needs] = $1; needed[nr_needs] = $2 }
        function walk(from, at,    i, n, next_ones) {
            n = split(calls[at], next_ones, " ")
            for (i = 1; i <= n; i++)
                if (!((from, next_ones[i]) in leads)) {
                    leads[from, next_ones[i]] = 1
                    walk(from, next_ones[i])
                }
        }
        END {
            for (i = 1; i <= nr_needs; i++)
                if (needed[i] in home && home[needed[i]] != by[i]) calls[by[i]] = calls[by[i]] " " home[needed[i]]
            for (file in calls) walk(file, file)
            for (file in calls) {
                members = 0
                for (other in calls) members += ((file, other) in leads) && ((other, file) in leads)
                for (i = 1; i <= nr_needs && members > most; i++) {
                    other = home[needed[i]]
                    if (by[i] == file && other != file && (other, file) in leads)
                        print "  " file " needs " needed[i] " of " other
                }
            }
        }' | sort
}

# rule NAME MOST OBJECTS...
rule() {
    local name=$1 most=$2 found
    shift 2
    count=$((count + 1))
    if [ $# = 0 ]; then
        echo "not ok $count - $name"
        echo '  the list of objects is empty'
        return
    fi
    found=$(circles "$most" "$@")
    if [ -z "$found" ]; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        echo "$found"
    fi
}

# shellcheck disable=SC2086
rule 'no files of the hypervisor call each other in a circle' 1 ${HV_OBJS:-}
# shellcheck disable=SC2086
rule 'no circle of calls in the host tool has more than two files' 2 ${TOOL_OBJS:-}
echo "1..$count"
