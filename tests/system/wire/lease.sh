#!/bin/bash
# A trace that outlasts the lease of its address: the hypervisor renews it while the guest runs, and says so where no server lets it. The
# server is the emulated wire's (tests/model/eth_lockstep_dhcp.cc), which takes no request that RFC 2131 does not allow. A slow CPU makes seconds.
. tests/system/lib.sh
export MEMORY=256 IPS=2000000 QUIET=60

# leased NAME DHCP: the guest runs to its end, all of its trace arrives.
leased() {
    WIRE="dhcp=$2" check "dhcp=$2: the guest runs to its end" boot_guest "$1" load 'channel=net net.ip=dhcp pt.region=64K'
    console_has 'the address is from the server' "$1" 'channel=net: DHCP: 10.0.2.15 is ours for 4 s'
    exact 'no part of the trace is lost' "$1"
    same 'all requests to the server are valid by the RFC' "$(grep -c 'lockstep: DHCP' "$work/$1/bochs.log")" 0
}

# requests NAME STATE: how many a client in that state sent.
requests() {
    grep -c "^lockstep: DHCP: $2" "$work/$1/emulator.log"
}

# said NAME TEXT: how many log records say so.
said() {
    info "$1" '.log[]' | grep -c "DHCP: 10.0.2.15 $2"
}

leased kept 4
at_most 'it requests more time from its server, again and again' 3 "$(requests kept renewing)"
same 'and no other' "$(requests kept rebinding)" 0
same 'the log says it once' "$(said kept 'is renewed')" 1
same 'it has never ended' "$(said kept 'has lost its lease')" 0

leased silent 4:1
same 'a server that is silent gets one request' "$(requests silent renewing)" 1
at_most 'then all servers do' 1 "$(requests silent rebinding)"
same 'the log says that the lease has ended, once' "$(said silent 'has lost its lease')" 1

leased moved 4:1:move
same 'a server that has gone gets one request' "$(requests moved renewing)" 1
at_most 'from then on all servers do, and another one renews it' 2 "$(requests moved 'rebinding.*agreed')"
same 'the log says so' "$(said moved 'is renewed') $(said moved 'has lost its lease')" '1 0'

leased refused 4:2:nak
same 'a lease is renewed, then refused' "$(requests refused renewing)" 2
same 'no server gets a request any more' "$(requests refused rebinding)" 0
same 'the log says that the server refused' "$(said refused 'has lost its lease: the server refused')" 1
done_testing
