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
    config.errata.skl014 = config.errata.skd022 = strncmp(row->name, "erratum-", 8) == 0;
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

static bool in_row(const struct result *row, uint64_t address)
{
    return address >= row->start && address < row->end;
}

static bool same_branches(const struct result *row, const struct branches *found, const struct bytes *truth, char *why,
                          size_t room)
{
    const struct branch *branch = (const struct branch *)truth->bytes;
    size_t n = 0;
    for (size_t i = 0; i < truth->size / sizeof(*branch); i++) {
        if (!in_row(row, branch[i].from) && !in_row(row, branch[i].to))
            continue;
        if (n == found->nr || memcmp(&found->list[n], &branch[i], sizeof(*branch)) != 0) {
            snprintf(why, room, "libipt: branch %zu is %" PRIx64 " -> %" PRIx64 ", decoded %" PRIx64 " -> %" PRIx64, n,
                     branch[i].from, branch[i].to, n < found->nr ? found->list[n].from : 0,
                     n < found->nr ? found->list[n].to : 0);
            return false;
        }
        n++;
    }
    if (n != found->nr)
        snprintf(why, room, "libipt: %zu branches, decoded %zu", n, found->nr);
    return n == found->nr;
}

bool libipt_instructions_agree(const struct result *row, const struct bytes *image, const char *image_path,
                               const struct bytes *truth, char *why, size_t room)
{
    struct pt_config config = config_of(row);
    struct pt_image *code = pt_image_alloc("rows");
    if (pt_image_add_file(code, image_path, 0, image->size, NULL, IMAGE_BASE) < 0)
        die(image_path, "libipt does not take it");
    struct branches found = branches_decode(&config, code);
    bool agree = found.error == 0;
    if (!agree)
        snprintf(why, room, "libipt: %s at byte %" PRIu64, pt_errstr((enum pt_error_code)found.error),
                 found.error_offset);
    else if (truth != NULL)
        agree = same_branches(row, &found, truth, why, room);
    free(found.list);
    pt_image_free(code);
    return agree;
}
