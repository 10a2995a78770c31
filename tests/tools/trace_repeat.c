/*
 * Make a long trace from a short one: all of it up to its last PSB, and then its last part repeatedly. Before each
 * repetition, a FUP and a TIP.PGD without an IP report that execution left the trace at the IP of the PSB+ that
 * followed there. So no branch is added, and each repetition decodes to the same branches as long as the code stays as
 * it is at the end.
 *
 * usage: trace_repeat TRACE TO BYTES PART_BYTES    prints the trace offsets of the part, and how many copies there are
 * in all
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pt/packet/packet.h"

static const char psb[] = "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82";
#define PSB_SIZE (sizeof(psb) - 1)

/* The IP of the FUP in the PSB+ at at. */
static bool find_ip(uint64_t *ip, const uint8_t *trace, size_t size, size_t at)
{
    struct packet packet;
    for (int length; at < size && (length = packet_parse(&packet, trace + at, size - at)) > 0; at += (size_t)length) {
        if (packet.kind == PT_PACKET_FUP)
            return pt_ip_expand(ip, (enum pt_ip_bytes)packet.ip_bytes, packet.ip, 0);
        if (packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            return false;
    }
    return false;
}

/* The last PSB before at whose PSB+ has an IP. 0: there is none. */
static size_t find_psb(uint64_t *ip, const uint8_t *trace, size_t size, size_t at)
{
    while (at-- > 0)
        if (trace[at] == 0x02 && size - at >= PSB_SIZE && !memcmp(trace + at, psb, PSB_SIZE) &&
            find_ip(ip, trace, size, at))
            return at;
    return 0;
}

static bool write_all(FILE *file, const uint8_t *trace, size_t begin, size_t end, uint64_t ip)
{
    uint8_t leave[10] = {[0] = PT_IP_FULL_64 << 5 | 0x1d, [9] = 0x01};
    memcpy(leave + 1, &ip, sizeof(ip));
    return fwrite(trace + begin, 1, end - begin, file) == end - begin &&
           fwrite(leave, 1, sizeof(leave), file) == sizeof(leave);
}

int main(int argc, char **argv)
{
    struct stat status;
    uint64_t end_ip = 0, begin_ip = 0;
    int fd = argc == 5 ? open(argv[1], O_RDONLY) : -1;
    FILE *to = fd >= 0 ? fopen(argv[2], "wb") : NULL;
    if (!to || fstat(fd, &status) != 0) {
        fprintf(stderr, "usage: trace_repeat TRACE TO BYTES PART_BYTES\n");
        return 1;
    }
    const size_t size = (size_t)status.st_size;
    const uint8_t *trace = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const uint64_t bytes = strtoull(argv[3], NULL, 0), part = strtoull(argv[4], NULL, 0);
    const size_t end = trace == MAP_FAILED ? 0 : find_psb(&end_ip, trace, size, size);
    const size_t begin = end > part ? find_psb(&begin_ip, trace, size, end - (size_t)part) : 0;
    if (begin == 0) {
        fprintf(stderr, "%s: no PSB+ with a FUP where one is needed\n", argv[1]);
        return 1;
    }
    uint64_t times = 1;
    bool good = write_all(to, trace, 0, end, end_ip);
    for (uint64_t written = end; good && written < bytes; written += end - begin, times++)
        good = write_all(to, trace, begin, end, end_ip);
    if (fclose(to) != 0 || !good) {
        perror(argv[2]);
        return 1;
    }
    printf("%zu %zu %" PRIu64 "\n", begin, end, times);
    return 0;
}
