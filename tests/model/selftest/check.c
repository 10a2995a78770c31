/*
 * Decode a trace with libipt's instruction decoder and compare its branches with the list that the model wrote.
 *
 *   check IMAGE TRACE BRANCHES OPTIONS      IMAGE is loaded at 10000H; TRACE ends in "PMIs" and their number; OPTIONS
 *                                           are the model's: errata that libipt has to know are named there
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"

#define IMAGE_BASE 0x10000

struct file {
    uint8_t *bytes;
    size_t size;
};

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

static struct branches decode(const struct file *trace, const char *image_path, size_t image_size, const char *options)
{
    struct pt_config config;
    pt_config_init(&config);
    config.begin = trace->bytes;
    config.end = trace->bytes + trace->size;
    config.errata.bdm70 = strstr(options, "bdm70") != NULL;
    config.errata.skd022 = strstr(options, "skd022") != NULL;
    config.errata.skl014 = strstr(options, "skl014") != NULL;
    struct pt_image *image = pt_image_alloc("selftest");
    if (pt_image_add_file(image, image_path, 0, image_size, NULL, IMAGE_BASE) < 0)
        die(image_path, "libipt does not take it");
    struct branches found = branches_decode(&config, image);
    if (found.error != 0)
        fprintf(stderr, "check: libipt: %s at trace offset %" PRIx64 ", after %zu branches, the last to %" PRIx64 "\n",
                pt_errstr((enum pt_error_code)found.error), found.error_offset, found.nr,
                found.nr ? found.list[found.nr - 1].to : 0);
    pt_image_free(image);
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: check IMAGE TRACE BRANCHES OPTIONS\n");
        return 2;
    }
    struct file image = read_file(argv[1]), trace = read_file(argv[2]), truth = read_file(argv[3]);
    if (trace.size < 8 || memcmp(trace.bytes + trace.size - 8, "PMIs", 4) != 0)
        die(argv[2], "is cut off");
    uint32_t nr_pmis;
    memcpy(&nr_pmis, trace.bytes + trace.size - 4, 4);
    trace.size -= 8;
    struct branches found = decode(&trace, argv[1], image.size, argv[4]);
    const struct branch *decoded = found.list;
    const struct branch *expected = (const struct branch *)truth.bytes;
    size_t nr_expected = truth.size / sizeof(*expected);
    struct comparison c = branches_compare(&found, expected, nr_expected);
    printf("%zu bytes, %" PRIu32 " PMIs, %zu branches decoded, %zu in truth, %zu equal", trace.size, nr_pmis,
           found.nr - c.overflows, nr_expected - c.overflows, c.equal);
    printf(c.overflows ? ", %zu lost in %zu overflows\n" : "\n", c.lost, c.overflows);
    if (found.error == 0 && c.truth == nr_expected && c.decoded == found.nr && c.equal != 0)
        return 0;
    for (size_t i = 0; i < 7; i++) {
        size_t of_truth = c.truth + i - 3, of_decoded = c.decoded + i - 3; /* below 0: large */
        if (of_truth < nr_expected)
            printf("%zu: truth %" PRIx64 " -> %" PRIx64, of_truth, expected[of_truth].from, expected[of_truth].to);
        if (of_decoded < found.nr)
            printf("  decoded %" PRIx64 " -> %" PRIx64, decoded[of_decoded].from, decoded[of_decoded].to);
        printf("\n");
    }
    return 1;
}
