#!/bin/bash
# Two machines and a cable, in namespaces of their own: the receiver's has a DHCP server and `undertrace receive --announce`, the other is
# QEMU, whose card is bridged to the cable. Nothing is left of them afterwards.
#
# usage: plug.sh DIR CARD [OPTIONS]     as tests/rig/qemu.sh, which this ends in, less the options of the addresses
#        plug.sh check                  can such namespaces be made here? Says why not
set -eu

net=192.168.77

fail() {
    echo "plug: $*" >&2
    exit 1
}

# Without root rights, become root in a user namespace; the inner namespaces' names are private, too.
if [ "${PLUGGED:-0}" = 0 ]; then
    users=
    [ "$(id -u)" = 0 ] || users='--user --map-root-user'
    # shellcheck disable=SC2086 # a list of words
    PLUGGED=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc $users "$0" "$@"
fi

command -v dnsmasq >/dev/null || fail 'there is no dnsmasq'
mount -t tmpfs plug /run
mkdir -p /run/netns
ip netns add target || fail 'no namespace'
ip link add cable type veth peer name plug netns target || fail 'no pair of veth'
ip -n target link add board type bridge stp_state 0 forward_delay 0 || fail 'no bridge'
ip -n target tuntap add dev card mode tap || fail 'no tap'
for port in plug card; do ip -n target link set "$port" master board up; done
ip -n target link set board up
[ "$1" != check ] || exit 0

# Another network of the receiver's, without a listener.
ip link add other type veth peer name unused
ip address add 172.31.0.1/16 broadcast + dev other
ip address add "$net.1/24" broadcast + dev cable
for port in lo other unused cable; do ip link set "$port" up; done

dir=$1
mkdir -p "$dir"
dnsmasq --keep-in-foreground --conf-file=/dev/null --pid-file --user=root --port=0 --interface=cable --bind-interfaces \
    --dhcp-range="$net.100,$net.100,${LEASE:-1h}" --dhcp-authoritative --no-ping --dhcp-leasefile=/run/leases --log-dhcp \
    --log-facility=- >"$dir.dhcp.log" 2>&1 &
until grep -q 'DHCP, IP range' "$dir.dhcp.log"; do
    kill -0 $! 2>/dev/null || fail "the DHCP server did not start: $(tail -n 1 "$dir.dhcp.log")"
    sleep 0.05
done
IN='ip netns exec target' NETDEV='tap,id=wire,ifname=card,script=no,downscript=no' RECEIVE=--announce \
    exec tests/rig/qemu.sh "$dir" "$2" "net.ip=dhcp net.peer=announce ${3:-}"
