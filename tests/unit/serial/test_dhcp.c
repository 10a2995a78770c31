/* DHCP, announcements and their datagrams: what is sent, what is accepted, and what must be ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serial/net/announce.h"
#include "serial/net/datagram.h"
#include "serial/net/dhcp.h"
#include "serial/wire/frame.h"

#define MESSAGE 42u /* offset of the DHCP message in a frame */
#define OPTIONS 240u
#define OFFER 2u
#define ACK 5u
#define NAK 6u
#define SERVER 0x0a000202u
#define OURS 0x0a00020fu

static const uint8_t mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};
static const struct dhcp fresh = {.mac = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56}, .xid = 0x12345678};

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A server's answer, built independently of the tested code. seal sets the checksums. */
static uint8_t frame[600];
static size_t frame_bytes;

static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void seal(void)
{
    uint8_t pseudo[12 + sizeof frame] = {0};
    const size_t udp_bytes = frame_bytes - 34;
    put16(frame + 16, (uint32_t)frame_bytes - 14);
    put16(frame + 24, 0);
    put16(frame + 24, ~sum_of(frame + 14, 20));
    put16(frame + 38, (uint32_t)udp_bytes);
    put16(frame + 40, 0);
    memcpy(pseudo, frame + 26, 8);
    pseudo[9] = 17;
    put16(pseudo + 10, (uint32_t)udp_bytes);
    memcpy(pseudo + 12, frame + 34, udp_bytes);
    put16(frame + 40, ~sum_of(pseudo, 12 + udp_bytes));
}

static void start_frame(uint16_t from_port, uint16_t to_port, size_t payload_bytes)
{
    memset(frame, 0, sizeof frame);
    memset(frame, 0xff, 6);
    memcpy(frame + 6, (const uint8_t[]){2, 0, 0, 0, 0, 1, 8, 0, 0x45}, 9);
    frame[22] = 64;
    frame[23] = 17;
    put32(frame + 26, SERVER);
    put32(frame + 30, 0xffffffff);
    put16(frame + 34, from_port);
    put16(frame + 36, to_port);
    frame_bytes = MESSAGE + payload_bytes;
}

static void answer(uint8_t type)
{
    const uint8_t options[] = {53, 1,   type, 0,   0, 54, 4, 10, 0, 2,    2,    1,
                               4,  255, 255,  255, 0, 51, 4, 0,  1, 0x51, 0x80, 255};
    uint8_t *message = frame + MESSAGE;
    start_frame(67, 68, 300);
    memcpy(message, (const uint8_t[]){2, 1, 6, 0}, 4);
    put32(message + 4, fresh.xid);
    put32(message + 16, type == NAK ? 0 : OURS);
    memcpy(message + 28, mac, 6);
    put32(message + 236, 0x63825363);
    memcpy(message + OPTIONS, options, sizeof options);
    seal();
}

/* Copies the frame into memory of exactly its size, so that the sanitizer detects reads beyond it. */
static enum dhcp_answer take(struct dhcp *dhcp, bool requested, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, frame, size);
    const enum dhcp_answer result = dhcp_take(dhcp, requested, exact, size);
    free(exact);
    return result;
}

static void what_is_sent(void **state)
{
    uint8_t sent[DHCP_FRAME_MAX];
    struct datagram d;
    struct dhcp dhcp = fresh;
    (void)state;
    memset(sent, 0xaa, sizeof sent);
    size_t size = dhcp_discover(sent, &dhcp);
    assert_in_range(size, MESSAGE + 300, sizeof sent);
    assert_true(datagram_parse(&d, sent, size));
    assert_int_equal(sum_of(sent + 14, 20), 0xffff);
    assert_memory_equal(sent, "\xff\xff\xff\xff\xff\xff", 6);
    assert_memory_equal(d.from_mac, mac, 6);
    assert_true(d.from == 0 && d.to == 0xffffffff && d.from_port == 68 && d.to_port == 67);
    assert_memory_equal(d.payload, "\1\1\6\0\x12\x34\x56\x78", 8);
    assert_int_equal(d.payload[10], 0x80); /* broadcast the answer: we do not answer ARP yet */
    assert_memory_equal(d.payload + 28, mac, 6);
    assert_memory_equal(d.payload + 236, "\x63\x82\x53\x63\x35\x01\x01\x33\x04\xff\xff\xff\xff\xff", 14);
    dhcp.ip = OURS;
    dhcp.server = SERVER;
    size = dhcp_request(sent, &dhcp);
    assert_true(datagram_parse(&d, sent, size));
    assert_int_equal(get32(d.payload + 12), 0); /* ciaddr: not ours yet */
    assert_memory_equal(d.payload + OPTIONS,
                        "\x35\x01\x03\x33\x04\xff\xff\xff\xff\x32\x04\x0a\x00\x02\x0f\x36\x04\x0a\x00\x02\x02\xff", 22);
}

/* RFC 2131, table 4. The request goes to the MAC address from which the server's answer came. */
static void what_asks_for_more_time(void **state)
{
    uint8_t sent[DHCP_FRAME_MAX];
    struct datagram d;
    struct dhcp dhcp = fresh;
    (void)state;
    dhcp.ip = OURS;
    dhcp.server = SERVER;
    memcpy(dhcp.server_mac, "\2\0\0\0\0\1", 6);
    memset(sent, 0xaa, sizeof sent);
    size_t size = dhcp_renewal(sent, &dhcp);
    assert_true(datagram_parse(&d, sent, size));
    assert_int_equal(sum_of(sent + 14, 20), 0xffff);
    assert_memory_equal(d.to_mac, "\2\0\0\0\0\1", 6);
    assert_memory_equal(d.from_mac, mac, 6);
    assert_true(d.from == OURS && d.to == SERVER && d.from_port == 68 && d.to_port == 67);
    assert_memory_equal(d.payload, "\1\1\6\0\x12\x34\x56\x78", 8);
    assert_int_equal(d.payload[10], 0); /* no broadcast flag: we have an address */
    assert_int_equal(get32(d.payload + 12), OURS);
    assert_memory_equal(d.payload + OPTIONS, "\x35\x01\x03\x33\x04\xff\xff\xff\xff\xff", 10);
    dhcp.server = 0;
    size = dhcp_renewal(sent, &dhcp);
    assert_true(datagram_parse(&d, sent, size));
    assert_memory_equal(d.to_mac, "\xff\xff\xff\xff\xff\xff", 6);
    assert_true(d.from == OURS && d.to == 0xffffffff);
    assert_int_equal(get32(d.payload + 12), OURS);
}

static void what_renews_it(void **state)
{
    struct dhcp dhcp = fresh;
    (void)state;
    dhcp.ip = OURS;
    answer(ACK); /* from any server */
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_AGREED);
    assert_int_equal(dhcp.server, SERVER);
    assert_memory_equal(dhcp.server_mac, "\2\0\0\0\0\1", 6);
    assert_true(dhcp.lease_seconds == 86400 && dhcp.renew_seconds == 0 && dhcp.rebind_seconds == 0);
    answer(ACK);
    memcpy(frame + MESSAGE + OPTIONS + 23, "\x3a\4\0\0\0\x64\x3b\4\0\0\1\0\xff", 13);
    seal();
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_AGREED);
    assert_true(dhcp.renew_seconds == 100 && dhcp.rebind_seconds == 256);
    dhcp.server = 0;
    answer(NAK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_REFUSED);
    dhcp.ip = OURS + 1; /* not the requested address */
    answer(ACK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_IGNORED);
}

static void an_exchange(void **state)
{
    struct dhcp dhcp = fresh;
    (void)state;
    answer(ACK);
    assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_IGNORED); /* there was no request */
    answer(OFFER);
    assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_OFFERED);
    assert_true(dhcp.ip == OURS && dhcp.server == SERVER);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_IGNORED);
    answer(ACK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_AGREED);
    assert_true(dhcp.ip == OURS && dhcp.lease_seconds == 86400);
    answer(NAK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_REFUSED);
    assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_IGNORED);
}

/* With this byte changed and correct checksums, the message is ignored. */
static void refused(size_t at, uint8_t value)
{
    struct dhcp dhcp = fresh;
    answer(OFFER);
    frame[at] = value;
    seal();
    assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_IGNORED);
    assert_memory_equal(&dhcp, &fresh, sizeof dhcp);
}

static void what_is_not_for_us(void **state)
{
    (void)state;
    refused(12, 0x86);            /* not IPv4 */
    refused(14, 0x65);            /* IPv6's version */
    refused(14, 0x44);            /* a header of 16 bytes */
    refused(14, 0x4f);            /* a header of 60 bytes, which is not followed by UDP */
    refused(20, 0x20);            /* a fragment */
    refused(23, 6);               /* TCP */
    refused(35, 69);              /* not from the server port */
    refused(37, 67);              /* to the server port */
    refused(MESSAGE + 0, 1);      /* BOOTREQUEST */
    refused(MESSAGE + 1, 6);      /* not Ethernet */
    refused(MESSAGE + 2, 16);     /* an address of 16 bytes */
    refused(MESSAGE + 4, 0x13);   /* another transaction */
    refused(MESSAGE + 33, 0x57);  /* another client */
    refused(MESSAGE + 236, 0x64); /* BOOTP without options */
    refused(MESSAGE + 16, 0);     /* 0.0.2.15 */
    refused(MESSAGE + 16, 127);
    refused(MESSAGE + 16, 224);
    refused(MESSAGE + 16, 255);
    refused(MESSAGE + 242, 7);   /* DHCPRELEASE */
    refused(MESSAGE + 241, 2);   /* a type of two bytes, which shifts the following options */
    refused(MESSAGE + 245, 55);  /* no server identifier */
    refused(MESSAGE + 246, 255); /* an option beyond the end */
    refused(MESSAGE + 240, 255); /* no options */
}

static void another_servers_agreement_is_none(void **state)
{
    struct dhcp dhcp = fresh;
    (void)state;
    dhcp.ip = OURS;
    dhcp.server = SERVER + 1;
    answer(ACK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_IGNORED);
    answer(NAK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_IGNORED);
    dhcp.server = SERVER;
    dhcp.ip = OURS + 1;
    answer(ACK);
    assert_int_equal(take(&dhcp, true, frame_bytes), DHCP_IGNORED);
}

/* Frames truncated to every length, with correct checksums or not; and options that end with the message. */
static void cut_short(void **state)
{
    (void)state;
    for (size_t size = 0; size < MESSAGE + 300; size++) {
        struct dhcp dhcp = fresh;
        answer(OFFER);
        assert_int_equal(take(&dhcp, false, size), DHCP_IGNORED);
        if (size < MESSAGE)
            continue;
        frame_bytes = size;
        seal();
        /* The server identifier is complete with the 11th byte of the options; the type is before it. */
        const enum dhcp_answer result = take(&dhcp, false, size);
        if (size < MESSAGE + OPTIONS + 11)
            assert_int_equal(result, DHCP_IGNORED);
        else
            assert_true(result == DHCP_IGNORED || (result == DHCP_OFFERED && dhcp.ip == OURS));
    }
}

static void damage_is_seen(void **state)
{
    (void)state;
    for (size_t at = 14; at < MESSAGE + 300; at++) {
        struct dhcp dhcp = fresh;
        answer(OFFER);
        frame[at] ^= 0x10;
        assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_IGNORED);
    }
    struct dhcp dhcp = fresh;
    answer(OFFER);
    put16(frame + 40, 0); /* the UDP checksum is optional */
    assert_int_equal(take(&dhcp, false, frame_bytes), DHCP_OFFERED);
}

/* Random frames: no read beyond the frame, and never an invalid address. */
static void noise(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 100000; round++) {
        struct dhcp dhcp = fresh;
        uint32_t ip;
        answer(OFFER);
        for (unsigned n = round % 5; n-- > 0;) {
            random = random * 1664525 + 1013904223;
            frame[random >> 8 & 511] = (uint8_t)(random >> 20);
        }
        random = random * 1664525 + 1013904223;
        if (round % 2) /* else the checksums reject nearly all */
            seal();
        const size_t size = round % 3 ? frame_bytes : (random >> 10) % frame_bytes;
        if (take(&dhcp, false, size) != DHCP_IGNORED)
            assert_true(dhcp.ip >> 24 != 0 && dhcp.ip >> 28 < 14 && dhcp.server != 0);
        assert_false(announce_take(&ip, 21845, NULL, frame, size));
    }
}

static void announcement(uint8_t kind, uint16_t from_port, uint16_t to_port, size_t more)
{
    struct frame_header header = {.kind = kind};
    frame_header_seal(&header);
    start_frame(from_port, to_port, FRAME_HEADER_SIZE + more);
    memcpy(frame + MESSAGE, &header, sizeof header);
    seal();
}

static bool announced(uint32_t *ip, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, frame, size);
    const bool result = announce_take(ip, 21845, NULL, exact, size);
    free(exact);
    return result;
}

static void announcements(void **state)
{
    uint32_t ip = 0;
    (void)state;
    announcement(FRAME_ANNOUNCE, 21845, 21845, 0);
    assert_true(announced(&ip, frame_bytes));
    assert_int_equal(ip, SERVER);
    assert_true(announced(&ip, frame_bytes)); /* and again */
    frame_bytes += 6;                         /* Ethernet's padding */
    assert_true(announced(&ip, frame_bytes));
    for (size_t size = 0; size < MESSAGE + FRAME_HEADER_SIZE; size++)
        assert_false(announced(&ip, size));
    announcement(FRAME_ACK, 21845, 21845, 0);
    assert_false(announced(&ip, frame_bytes));
    announcement(FRAME_ANNOUNCE, 21846, 21845, 0);
    assert_false(announced(&ip, frame_bytes));
    announcement(FRAME_ANNOUNCE, 21845, 21846, 0);
    assert_false(announced(&ip, frame_bytes));
    announcement(FRAME_ANNOUNCE, 21845, 21845, 1); /* more bytes than the header states */
    assert_false(announced(&ip, frame_bytes));
    announcement(FRAME_ANNOUNCE, 21845, 21845, 0);
    frame[MESSAGE + 4]++; /* another version */
    seal();
    assert_false(announced(&ip, frame_bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent),
        cmocka_unit_test(what_asks_for_more_time),
        cmocka_unit_test(what_renews_it),
        cmocka_unit_test(an_exchange),
        cmocka_unit_test(what_is_not_for_us),
        cmocka_unit_test(another_servers_agreement_is_none),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(noise),
        cmocka_unit_test(announcements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
