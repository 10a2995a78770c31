#include "decode/capture/identity.h"

#include "decode/capture/checksum.h"

struct capture_identity capture_identify(const struct capture *capture)
{
    struct capture_identity identity = {.events_size = capture->events_size, .checksums_size = capture->checksums.size};
    uint64_t sizes[CAPTURE_MAX_CPUS];
    for (unsigned i = 0; i < CAPTURE_MAX_CPUS; i++) {
        sizes[i] = capture->cpus[i].present ? capture->cpus[i].size : 0;
        identity.traces_size += sizes[i];
    }
    identity.traces_crc = checksum_of(sizes, sizeof(sizes));
    identity.content_crc = capture->checksums.size
                               ? checksum_of(capture->checksums.bytes, (size_t)capture->checksums.size)
                           : capture->events_size ? checksum_of(capture->events, (size_t)capture->events_size)
                                                  : 0;
    return identity;
}
