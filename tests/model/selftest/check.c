/*
 * Decode a trace with libipt's instruction decoder and compare its branches with the list that the model wrote.
 *
 *   check IMAGE TRACE BRANCHES      IMAGE is loaded at 10000H; TRACE ends in "PMIs" and their number
 */
#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BASE 0x10000

struct branch {
    uint64_t from, to;
};

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct branch *decoded;
static size_t nr_decoded, max_decoded;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "check: %s: %s\n", what, why);
    exit(1);
}

static struct file read_file(const char *path)
{
    struct file file = {NULL, 0};
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        die(path, "cannot be read");
    fseek(in, 0, SEEK_END);
    file.size = (size_t)ftell(in);
    rewind(in);
    file.bytes = malloc(file.size + 1);
    if (file.bytes == NULL || fread(file.bytes, 1, file.size, in) != file.size)
        die(path, "cannot be read");
    fclose(in);
    return file;
}

static void add(uint64_t from, uint64_t to)
{
    if (nr_decoded == max_decoded) {
        max_decoded = max_decoded ? 2 * max_decoded : 4096;
        decoded = realloc(decoded, max_decoded * sizeof(*decoded));
        if (decoded == NULL)
            die("memory", "none left");
    }
    decoded[nr_decoded++] = (struct branch){from, to};
}

static int is_branch(enum pt_insn_class iclass)
{
    return iclass != ptic_other && iclass != ptic_error && iclass != ptic_ptwrite;
}

/* A branch is pending until the next instruction, or the event that comes first, tells its target. */
static uint64_t pending_from;
static int pending;

static void target_is(uint64_t ip)
{
    if (pending)
        add(pending_from, ip);
    pending = 0;
}

static int drain_events(struct pt_insn_decoder *decoder, int status)
{
    while (status & pts_event_pending) {
        struct pt_event event;
        status = pt_insn_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        switch (event.type) {
        case ptev_async_branch:
            target_is(event.variant.async_branch.from);
            add(event.variant.async_branch.from, event.variant.async_branch.to);
            break;
        case ptev_async_disabled:
            target_is(event.variant.async_disabled.at);
            break;
        case ptev_disabled:
            pending = 0; /* left for where nothing is traced */
            break;
        case ptev_overflow:
            die("trace", "an overflow");
            break;
        default:
            break;
        }
    }
    return status;
}

static void decode(const struct file *trace, const char *image_path, size_t image_size)
{
    struct pt_config config;
    pt_config_init(&config);
    config.begin = trace->bytes;
    config.end = trace->bytes + trace->size;
    struct pt_image *image = pt_image_alloc("selftest");
    if (pt_image_add_file(image, image_path, 0, image_size, NULL, IMAGE_BASE) < 0)
        die(image_path, "libipt does not take it");
    struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&config);
    pt_insn_set_image(decoder, image);
    int status = pt_insn_sync_forward(decoder);
    while (status >= 0) {
        struct pt_insn insn;
        status = drain_events(decoder, status);
        if (status < 0 || status & pts_eos)
            break;
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        if (status < 0)
            break;
        target_is(insn.ip);
        pending = is_branch(insn.iclass);
        pending_from = insn.ip;
    }
    if (status < 0 && status != -pte_eos) {
        uint64_t offset = 0, ip = nr_decoded ? decoded[nr_decoded - 1].to : 0;
        pt_insn_get_offset(decoder, &offset);
        fprintf(stderr, "check: libipt: %s at trace offset %" PRIx64 ", after %zu branches, the last to %" PRIx64 "\n",
                pt_errstr(pt_errcode(status)), offset, nr_decoded, ip);
    }
    pt_insn_free_decoder(decoder);
    pt_image_free(image);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: check IMAGE TRACE BRANCHES\n");
        return 2;
    }
    struct file image = read_file(argv[1]), trace = read_file(argv[2]), truth = read_file(argv[3]);
    if (trace.size < 8 || memcmp(trace.bytes + trace.size - 8, "PMIs", 4) != 0)
        die(argv[2], "is cut off");
    uint32_t nr_pmis;
    memcpy(&nr_pmis, trace.bytes + trace.size - 4, 4);
    trace.size -= 8;
    decode(&trace, argv[1], image.size);
    const struct branch *expected = (const struct branch *)truth.bytes;
    size_t nr_expected = truth.size / sizeof(*expected), n = 0;
    while (n < nr_expected && n < nr_decoded && memcmp(&decoded[n], &expected[n], sizeof(*decoded)) == 0)
        n++;
    printf("%zu bytes, %" PRIu32 " PMIs, %zu branches decoded, %zu in truth, %zu equal\n", trace.size, nr_pmis,
           nr_decoded, nr_expected, n);
    if (n == nr_expected && n == nr_decoded && n != 0)
        return 0;
    for (size_t i = n > 3 ? n - 3 : 0; i < n + 3; i++) {
        if (i < nr_expected)
            printf("%zu: truth %" PRIx64 " -> %" PRIx64, i, expected[i].from, expected[i].to);
        if (i < nr_decoded)
            printf("  decoded %" PRIx64 " -> %" PRIx64, decoded[i].from, decoded[i].to);
        printf("\n");
    }
    return 1;
}
