/* Kind: shell */
/* channel=net: renewing the lease of an address from a DHCP server. Runs under the sink's lock. */
#include "base/log.h"
#include "serial/net/udp_state.h"
#include "serial/wire/log_record.h"
#include "serial/wire/record.h"

#define LINE_BYTES 160u

static const char renewed[] = "is renewed; later renewals are not logged";
static const char ended[] =
    "has lost its lease: no server has renewed it. The trace continues; another machine may get the address";
static const char refused[] =
    "has lost its lease: the server refused to renew it. The trace continues; another machine may get the address";

/* Record a log line. log_line would wait for the lock. false: there is no room now. */
static bool record_line(struct udp_sink *s, const char *news)
{
    struct {
        struct record_header header;
        char text[LINE_BYTES];
    } line = {.header = {.kind = RECORD_LOG, .tsc = log_record_tsc()}};
    const uint32_t ip = s->link.ip;
    const size_t length = format_text(line.text, sizeof line.text, "channel=net: DHCP: %u.%u.%u.%u %s", ip >> 24,
                                      ip >> 16 & 255, ip >> 8 & 255, ip & 255, news);
    const uint32_t padded = ((uint32_t)length + 7) & ~7u;

    line.header.length = (uint32_t)length;
    return s->sink.ops->record(&s->sink, 0, &(struct sink_piece){&line, sizeof line.header + padded}, 1);
}

static void request(struct udp_sink *s, bool all)
{
    struct udp_lease *l = &s->lease;

    if (all) {
        l->dhcp.server = 0;
        l->to_all = true;
    }
    l->is_requesting = true;
    udp_send_frame(s, l->frames_pa + (l->to_all ? DHCP_FRAME_MAX : 0), l->frame_bytes);
}

__attribute__((cold, noinline)) void udp_lease_act(struct udp_sink *s, uint64_t now)
{
    struct udp_lease *l = &s->lease;
    const enum lease_action action = lease_due(&l->lease, now);

    if (action == LEASE_ENDS)
        l->news = ended;
    if (action != LEASE_WAIT)
        request(s, action != LEASE_RENEW);
    if (l->news && record_line(s, l->news))
        l->news = NULL;
}

__attribute__((cold, noinline)) void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size)
{
    struct udp_lease *l = &s->lease;

    switch (dhcp_take(&l->dhcp, true, frame, size)) {
    case DHCP_AGREED:
        if (!l->was_renewed || l->lease.has_ended)
            l->news = renewed;
        lease_start(&l->lease, &l->dhcp, l->lease.hz, l->lease.requested);
        l->was_renewed = true;
        l->is_requesting = false;
        break;
    case DHCP_REFUSED:
        l->news = refused;
        lease_lose(&l->lease);
        l->is_requesting = false;
        break;
    case DHCP_OFFERED:
    case DHCP_IGNORED:
        break;
    }
}
