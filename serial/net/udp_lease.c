/* Kind: shell */
/* channel=net: more time for an address from a DHCP server. Shell; all of it under the sink's lock. */
#include "base/log.h"
#include "base/msr.h"
#include "serial/net/udp_state.h"
#include "serial/wire/record.h"

#define LINE_BYTES 160u

static const char renewed[] = "is renewed; so it will be to the end";
static const char ended[] =
    "has no lease any more: no server has renewed it. The trace goes on; another machine may get it";
static const char taken[] = "is taken from us by its server. The trace goes on; another machine may get it";

/* A log line, without log_line, which would wait for the lock. false: there is no room now. */
static bool say(struct udp_sink *s, const char *news)
{
    struct {
        struct record_header header;
        char text[LINE_BYTES];
    } line = {.header = {.kind = RECORD_LOG, .tsc = tsc_read()}};
    const uint32_t ip = s->link.ip;
    const size_t length = format_text(line.text, sizeof line.text, "channel=net: DHCP: %u.%u.%u.%u %s", ip >> 24,
                                      ip >> 16 & 255, ip >> 8 & 255, ip & 255, news);
    const uint32_t padded = ((uint32_t)length + 7) & ~7u;

    line.header.length = (uint32_t)length;
    return s->sink.ops->record(&s->sink, 0, &(struct sink_piece){&line, sizeof line.header + padded}, 1);
}

static void ask(struct udp_sink *s, bool all)
{
    struct udp_lease *l = &s->lease;

    if (all) {
        l->dhcp.server = 0;
        l->to_all = true;
    }
    l->is_asking = true;
    udp_send_frame(s, l->frames_pa + (l->to_all ? DHCP_FRAME_MAX : 0), l->frame_bytes);
}

__attribute__((cold, noinline)) void udp_lease_act(struct udp_sink *s, uint64_t now)
{
    struct udp_lease *l = &s->lease;
    const enum lease_action action = lease_due(&l->lease, now);

    if (action == LEASE_ENDS)
        l->news = ended;
    if (action != LEASE_WAIT)
        ask(s, action != LEASE_RENEW);
    if (l->news && say(s, l->news))
        l->news = NULL;
}

__attribute__((cold, noinline)) void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size)
{
    struct udp_lease *l = &s->lease;

    switch (dhcp_take(&l->dhcp, true, frame, size)) {
    case DHCP_AGREED:
        if (!l->was_renewed || l->lease.has_ended)
            l->news = renewed;
        lease_start(&l->lease, &l->dhcp, l->lease.hz, l->lease.asked);
        l->was_renewed = true;
        l->is_asking = false;
        break;
    case DHCP_REFUSED:
        l->news = taken;
        lease_lose(&l->lease);
        l->is_asking = false;
        break;
    case DHCP_OFFERED:
    case DHCP_NOTHING:
        break;
    }
}
