# shellcheck shell=bash
# What boots with a receiver share. Sourced; $emulator and $receiver are the children's pids, or empty.

# A UDP port that is free now. Two boots that start at once may pick the same one, so each tries from its own place.
free_port() {
    local port=$((20000 + ($$ * 7 + RANDOM) % 20000))
    while udp_port_is_open "$port"; do port=$((port + 1)); done
    echo "$port"
}

udp_port_is_open() {
    grep -qi ":$(printf %04X "$1") " /proc/net/udp
}

# Are datagrams waiting there for their reader?
udp_has_unread() {
    grep -i ":$(printf %04X "$1") " /proc/net/udp | grep -qv ':00000000 '
}

stop_children() {
    local pid
    for pid in $emulator $receiver; do kill -TERM "$pid" 2>/dev/null; done
    wait 2>/dev/null
}

# Whatever ends the script ends its children.
guard_children() {
    emulator='' receiver=''
    trap stop_children EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}
