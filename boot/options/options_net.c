/* Kind: core, init */
/* The options of the network channel. Core. */
#include "boot/options/option.h"

static bool set_net_ip(struct options *o, struct value_text v)
{
    o->net_ip = 0;
    return value_is(v, "dhcp") || (value_ip(&o->net_ip, v) && o->net_ip != 0);
}

static bool set_net_peer(struct options *o, struct value_text v)
{
    o->net_peer = 0;
    return value_is(v, "announce") || (value_ip(&o->net_peer, v) && o->net_peer != 0);
}

static bool set_net_port(struct options *o, struct value_text v)
{
    return value_u16(&o->net_port, v, 1, 65535);
}

static bool set_net_mtu(struct options *o, struct value_text v)
{
    return value_u16(&o->net_mtu, v, 576, 16110);
}

static bool set_net_card(struct options *o, struct value_text v)
{
    o->net_card = NET_CARD_ANY;
    return value_is(v, "auto") || value_bdf(&o->net_card, v);
}

static bool set_net_mac(struct options *o, struct value_text v)
{
    o->net_mac_given = !value_is(v, "any");
    return !o->net_mac_given || value_mac(o->net_mac, v);
}

static bool set_net_wait(struct options *o, struct value_text v)
{
    return value_u32(&o->net_wait_seconds, v, 0, 3600);
}

static bool set_net_stall(struct options *o, struct value_text v)
{
    return value_u32(&o->net_stall_seconds, v, 0, 86400);
}

const struct option options_net[] = {
    {"net.ip", set_net_ip, "dhcp, or an IPv4 address such as 10.0.2.15"},
    {"net.peer", set_net_peer, "announce, or an IPv4 address such as 10.0.2.2"},
    {"net.port", set_net_port, "a number from 1 to 65535"},
    {"net.mtu", set_net_mtu, "a number from 576 to 16110"},
    {"net.card", set_net_card, "auto, or bus:device.function such as 00:1f.6"},
    {"net.mac", set_net_mac, "any, or a card's MAC address such as 52:54:00:12:34:56"},
    {"net.wait", set_net_wait, "seconds, from 0 to 3600"},
    {"net.stall", set_net_stall, "seconds, from 0 (for ever) to 86400"},
};
const size_t nr_options_net = sizeof options_net / sizeof options_net[0];
