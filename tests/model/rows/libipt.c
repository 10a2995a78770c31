/*
 * Do Debian's libipt's decoders read a row's trace as we do, and as the emulated CPU did?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tests/model/selftest/branches.h"

static struct pt_config config_of(const struct result *row)
{
    struct pt_config config;
    pt_config_init(&config);
    config.begin = row->trace.bytes;
    config.end = row->trace.bytes + row->trace.size;
    config.errata.skl014 = strcmp(row->name, "erratum-skl014") == 0;
    config.errata.skd022 = strcmp(row->name, "erratum-skd022") == 0;
    config.errata.bdm70 = strcmp(row->name, "erratum-bdm70") == 0;
    config.addr_filter.config.addr_cfg = row->ctl >> 32 & 0xffff;
    config.addr_filter.addr0_a = row->addr[0];
    config.addr_filter.addr0_b = row->addr[1];
    config.addr_filter.addr1_a = row->addr[2];
    config.addr_filter.addr1_b = row->addr[3];
    config.addr_filter.addr2_a = row->addr[4];
    config.addr_filter.addr2_b = row->addr[5];
    config.addr_filter.addr3_a = row->addr[6];
    config.addr_filter.addr3_b = row->addr[7];
    return config;
}

bool libipt_packets_agree(const struct result *row, char *why, size_t room)
{
    struct pt_config config = config_of(row);
    struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
    size_t at = 0, n = 0;
    bool agree = true;
    int status = pt_pkt_sync_set(decoder, 0);
    for (; agree && n < row->packet_sizes.size; n++) {
        struct pt_packet packet;
        if (status >= 0)
            status = pt_pkt_next(decoder, &packet, sizeof(packet));
        agree = status == row->packet_sizes.bytes[n];
        at += row->packet_sizes.bytes[n];
    }
    if (!agree)
        snprintf(why, room, "libipt: packet %zu, which ends at byte %zu: %s", n - 1, at,
                 status < 0 ? pt_errstr(pt_errcode(status)) : "another size");
    pt_pkt_free_decoder(decoder);
    return agree;
}

static bool same_branches(const struct branches *found, const struct branches *truth, char *why, size_t room)
{
    struct comparison c = branches_compare(found, truth->list, truth->nr);
    if (c.truth == truth->nr && c.decoded == found->nr)
        return true;
    struct branch is = c.decoded < found->nr ? found->list[c.decoded] : (struct branch){0, 0};
    struct branch should = c.truth < truth->nr ? truth->list[c.truth] : (struct branch){0, 0};
    snprintf(why, room,
             "libipt: branch %zu is %" PRIx64 " -> %" PRIx64 ", decoded %" PRIx64 " -> %" PRIx64 " (0: none)", c.truth,
             should.from, should.to, is.from, is.to);
    return false;
}

static struct pt_image *image_of(const struct expectation *expected, const char *path)
{
    struct pt_image *image = pt_image_alloc("rows");
    size_t size = file_read(path).size;
    int status = pt_image_add_file(image, path, 0, size, NULL, IMAGE_BASE);
    for (unsigned i = 0; status >= 0 && i < expected->nr_mapped; i++)
        status = pt_image_add_file(image, path, 0, size, NULL, expected->mapped[i]);
    if (status >= 0 && expected->copied != 0)
        status = pt_image_add_file(image, path, expected->copied - IMAGE_BASE, expected->copied_end - expected->copied,
                                   NULL, expected->copied_to);
    if (status < 0)
        die(path, pt_errstr(pt_errcode(status)));
    return image;
}

bool libipt_instructions_agree(const struct result *row, const struct expectation *expected, const char *image_path,
                               const struct branches *truth, struct branches *found, char *why, size_t room)
{
    struct pt_config config = config_of(row);
    struct pt_image *image = image_of(expected, image_path);
    *found = branches_decode(&config, image);
    pt_image_free(image);
    if (found->error != 0) {
        snprintf(why, room, "libipt: %s at byte %" PRIu64, pt_errstr((enum pt_error_code)found->error),
                 found->error_offset);
        return false;
    }
    return !expected->truth || same_branches(found, truth, why, room);
}
