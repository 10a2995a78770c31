/* Kind: core, init */
/* The options of the network channel. */
#include "boot/options/option.h"
#include "serial/wire/auth.h"

static bool set_net_ip(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->net_ip = 0;
    return value_is(v, "dhcp") || (value_ip(&o->net_ip, v) && o->net_ip != 0);
}

static bool set_net_peer(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->net_peer = 0;
    return value_is(v, "announce") || (value_ip(&o->net_peer, v) && o->net_peer != 0);
}

static bool set_net_card(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->net_card = NET_CARD_ANY;
    return value_is(v, "auto") || value_bdf(&o->net_card, v);
}

static bool set_net_mac(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->net_mac_given = !value_is(v, "any");
    return !o->net_mac_given || value_mac(o->net_mac, v);
}

static bool set_key(const struct option *option, struct options *o, struct value_text v)
{
    (void)option;
    o->key_given = !value_is(v, "off");
    return !o->key_given || (v.size == AUTH_KEY_DIGITS && auth_key_parse(&o->key, v.at));
}

const char *const option_words_compress[] = {"off", "lz4", NULL};

/* clang-format off */
const struct option options_net[] = {
    {"net.ip", "10.0.2.15", "dhcp, or an IPv4 address such as 10.0.2.15", OPTION_OWN(set_net_ip)},
    {"net.peer", "10.0.2.2", "announce, or an IPv4 address such as 10.0.2.2", OPTION_OWN(set_net_peer)},
    {"net.port", "21845", "a number from 1 to 65535", OPTION_U16(net_port, 1, 65535)},
    {"net.mtu", "1500", "a number from 576 to 16110", OPTION_U16(net_mtu, 576, 16110)},
    {"net.compress", "off", "off or lz4", OPTION_BOOL(net_compress, option_words_compress)},
    {"net.card", "auto", "auto, or bus:device.function such as 00:1f.6", OPTION_OWN(set_net_card)},
    {"net.mac", "any", "any, or a card's MAC address such as 52:54:00:12:34:56", OPTION_OWN(set_net_mac)},
    {"key", "off", "off, or 32 hexadecimal digits, as undertrace receive --key reads them from a file", OPTION_OWN(set_key)},
    {"net.wait", "30", "seconds, from 0 to 3600", OPTION_U32(net_wait_seconds, 0, 3600)},
    {"net.stall", "300", "seconds, from 0 (for ever) to 86400", OPTION_U32(net_stall_seconds, 0, 86400)},
};
/* clang-format on */
const size_t nr_options_net = sizeof options_net / sizeof options_net[0];
