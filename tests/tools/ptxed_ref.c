/*
 * A trace as libipt's instruction decoder reads it, in the format of its ptxed without mnemonics, which Debian does
 * not package: for comparing with `undertrace-judge ptxed`.
 *
 * usage: ptxed_ref TRACE IMAGE VADDR [MODEL]      the image's address is VADDR; the trace is that of a CPU of family 6
 */
#include <fcntl.h>
#include <intel-pt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Version 2.0 reports a MODE.Exec that changes nothing, later ones do not. After an overflow nothing is known. */
static bool mode_is_new(const struct pt_event *e)
{
    static enum pt_exec_mode last = ptem_unknown;
    const bool is_new = e->type == ptev_exec_mode && e->variant.exec_mode.mode != last;
    if (e->type == ptev_exec_mode)
        last = e->variant.exec_mode.mode;
    if (e->type == ptev_overflow)
        last = ptem_unknown;
    return is_new;
}

static void print_power(const struct pt_event *e)
{
    if (e->type == ptev_exstop)
        printf("[exstop]\n");
    else if (e->type == ptev_mwait)
        printf("[mwait %" PRIx32 " %" PRIx32 "]\n", e->variant.mwait.hints, e->variant.mwait.ext);
    else
        printf("[event %d]\n", (int)e->type);
}

static void print_event(const struct pt_event *e)
{
    static const char *const modes[] = {"<unknown>", "16-bit", "32-bit", "64-bit"};
    switch (e->type) {
    case ptev_enabled:
        printf("[%s]\n", e->variant.enabled.resumed ? "resumed" : "enabled");
        break;
    case ptev_disabled:
    case ptev_async_disabled:
        printf("[disabled]\n");
        break;
    case ptev_async_branch:
        printf("[interrupt]\n");
        break;
    case ptev_paging:
        printf("[paging, cr3: %016" PRIx64 "%s]\n", e->variant.paging.cr3, e->variant.paging.non_root ? ", nr" : "");
        break;
    case ptev_async_paging:
        printf("[paging, cr3: %016" PRIx64 "%s]\n", e->variant.async_paging.cr3,
               e->variant.async_paging.non_root ? ", nr" : "");
        break;
    case ptev_overflow:
        printf("[overflow]\n");
        break;
    case ptev_exec_mode:
        printf("[exec mode: %s]\n", modes[e->variant.exec_mode.mode & 3]);
        break;
    case ptev_tsx:
        printf("[%s]\n", e->variant.tsx.aborted       ? "aborted"
                         : e->variant.tsx.speculative ? "begin transaction"
                                                      : "committed");
        break;
    case ptev_stop:
        printf("[stopped]\n");
        break;
    case ptev_ptwrite:
        printf("[ptwrite: %" PRIx64 "]\n", e->variant.ptwrite.payload);
        break;
    case ptev_cbr:
        printf("[cbr: %x]\n", e->variant.cbr.ratio);
        break;
    default:
        print_power(e);
    }
}

/* Returns the status after the events, or an error. */
static int print_events(struct pt_insn_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        status = pt_insn_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        const bool repeated = !mode_is_new(&event) && event.type == ptev_exec_mode;
        if (!event.status_update && !repeated)
            print_event(&event);
    }
    return status;
}

static int print_trace(struct pt_insn_decoder *decoder)
{
    int status = pt_insn_sync_forward(decoder);
    while (status >= 0) {
        struct pt_insn insn = {0};
        status = print_events(decoder, status);
        if (status >= 0 && status & pts_eos && !(status & pts_ip_suppressed))
            puts("[end of trace]");
        if (status < 0 || status & pts_eos)
            break;
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        if (insn.iclass != ptic_error)
            printf("%s%016" PRIx64 "\n", insn.speculative ? "? " : "", insn.ip);
    }
    if (status >= 0 || status == -pte_eos)
        return 0;
    uint64_t offset = 0;
    pt_insn_get_offset(decoder, &offset);
    printf("[%" PRIx64 ": error: %s]\n", offset, pt_errstr(pt_errcode(status)));
    return 1;
}

static uint8_t *map_file(const char *name, size_t *size)
{
    struct stat status;
    int fd = open(name, O_RDONLY);
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0) {
        perror(name);
        exit(1);
    }
    *size = (size_t)status.st_size;
    uint8_t *bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        perror(name);
        exit(1);
    }
    return bytes;
}

int main(int argc, char **argv)
{
    struct pt_config config;
    size_t size;
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: ptxed_ref TRACE IMAGE VADDR [MODEL]\n");
        return 1;
    }
    pt_config_init(&config);
    config.begin = map_file(argv[1], &size);
    config.end = config.begin + size;
    if (argc == 5) {
        config.cpu = (struct pt_cpu){.vendor = pcv_intel, .family = 6, .model = (uint8_t)strtoul(argv[4], NULL, 0)};
        pt_cpu_errata(&config.errata, &config.cpu);
    }
    struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&config);
    if (!decoder || (map_file(argv[2], &size), pt_image_add_file(pt_insn_get_image(decoder), argv[2], 0, size, NULL,
                                                                 strtoull(argv[3], NULL, 0)) < 0)) {
        fprintf(stderr, "ptxed_ref: libipt refuses\n");
        return 1;
    }
    const int result = print_trace(decoder);
    pt_insn_free_decoder(decoder);
    return result;
}
