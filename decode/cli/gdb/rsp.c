#include "decode/cli/gdb/rsp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERRUPT 3

/* -1: the other side has gone. */
static int next_byte(struct rsp *rsp)
{
    while (rsp->begin == rsp->end) {
        const ssize_t size = read(rsp->in, rsp->buffer, sizeof(rsp->buffer));
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return -1;
        rsp->begin = 0;
        rsp->end = (size_t)size;
    }
    return rsp->buffer[rsp->begin++];
}

static bool write_all(const struct rsp *rsp, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(rsp->out, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static int digit_value(int digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The bytes up to '#', and the checksum after it. false: the other side has gone. *good: the checksum is right. */
static bool read_body(struct rsp *rsp, char packet[RSP_PACKET_SIZE + 1], bool *good)
{
    size_t size = 0;
    uint8_t sum = 0;
    int byte;
    while ((byte = next_byte(rsp)) >= 0 && byte != '#') {
        sum = (uint8_t)(sum + byte);
        if (size < RSP_PACKET_SIZE)
            packet[size++] = (char)byte;
    }
    packet[size] = '\0';
    const int high = next_byte(rsp), low = next_byte(rsp);
    *good = digit_value(high) * 16 + digit_value(low) == sum;
    return low >= 0;
}

bool rsp_receive(struct rsp *rsp, char packet[RSP_PACKET_SIZE + 1])
{
    for (int byte; (byte = next_byte(rsp)) >= 0;) {
        bool good;
        if (byte != '$')
            continue; /* acknowledgements, and interrupts that came too late */
        if (!read_body(rsp, packet, &good))
            return false;
        if (!rsp->no_ack && !write_all(rsp, good ? "+" : "-", 1))
            return false;
        if (good)
            return true;
    }
    return false;
}

bool rsp_send(struct rsp *rsp, const char *packet)
{
    char frame[2 * RSP_PACKET_SIZE + 8];
    uint8_t sum = 0;
    for (const char *byte = packet; *byte; byte++)
        sum = (uint8_t)(sum + (uint8_t)*byte);
    const int size = snprintf(frame, sizeof(frame), "$%s#%02x", packet, sum);
    return size > 0 && (size_t)size < sizeof(frame) && write_all(rsp, frame, (size_t)size);
}

bool rsp_interrupted(void *context)
{
    struct rsp *rsp = context;
    struct pollfd poll_in = {.fd = rsp->in, .events = POLLIN};
    if (rsp->begin == rsp->end && poll(&poll_in, 1, 0) > 0) {
        const ssize_t size = read(rsp->in, rsp->buffer, sizeof(rsp->buffer));
        rsp->begin = 0;
        rsp->end = size > 0 ? (size_t)size : 0;
    }
    if (rsp->begin == rsp->end || rsp->buffer[rsp->begin] != INTERRUPT)
        return false;
    rsp->begin++;
    return true;
}
