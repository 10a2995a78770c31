/*
 * The truth's list of branches as perf lists them: perf shows taken branches only. Prints "from to" in hexadecimal.
 *
 * usage: truth_taken BRANCHES IMAGE BASE      IMAGE: the 64-bit code, a flat file that stood at BASE
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/truth.h"

struct code {
    uint8_t *bytes;
    uint64_t base, size;
};

/* A conditional branch whose target was the instruction behind it: not taken. (A taken one with displacement 0 looks
 * alike; the code has none, and the comparison would show it.) */
static bool not_taken(const struct code *code, const struct truth_branch *branch)
{
    uint64_t at = branch->from - code->base;
    if (branch->from < code->base || at + 6 > code->size)
        return false;
    const uint8_t *op = code->bytes + at;
    bool is_short = (op[0] & 0xf0) == 0x70 || (op[0] & 0xfc) == 0xe0; /* Jcc; LOOPcc, JRCXZ */
    bool is_near = op[0] == 0x0f && (op[1] & 0xf0) == 0x80;
    return (is_short && branch->to == branch->from + 2) || (is_near && branch->to == branch->from + 6);
}

static bool read_code(struct code *code, const char *name)
{
    FILE *file = fopen(name, "rb");
    bool good = file && fseek(file, 0, SEEK_END) == 0;
    long size = good ? ftell(file) : 0;
    code->bytes = malloc((size_t)size + 1);
    good = good && code->bytes && fseek(file, 0, SEEK_SET) == 0 &&
           fread(code->bytes, 1, (size_t)size, file) == (size_t)size;
    code->size = (uint64_t)size;
    if (!good)
        fprintf(stderr, "truth_taken: %s: %s\n", name, strerror(errno));
    if (file)
        fclose(file);
    return good;
}

static bool print_taken(const struct code *code, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file) {
        fprintf(stderr, "truth_taken: %s: %s\n", name, strerror(errno));
        return false;
    }
    struct truth_branch branch;
    while (fread(&branch, sizeof(branch), 1, file) == 1)
        if (!not_taken(code, &branch))
            printf("%" PRIx64 " %" PRIx64 "\n", branch.from, branch.to);
    fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    struct code code = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: truth_taken BRANCHES IMAGE BASE\n");
        return 1;
    }
    code.base = strtoull(argv[3], NULL, 0);
    bool good = read_code(&code, argv[2]) && print_taken(&code, argv[1]);
    free(code.bytes);
    return good ? 0 : 1;
}
