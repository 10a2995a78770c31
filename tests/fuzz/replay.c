/* The inputs of a corpus, and all of their beginnings, through a fuzz target. usage: replay FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define MOST 65536u

/* Each input has its own heap copy, so that a sanitizer detects a read past the end. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[MOST];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        const size_t size = fread(bytes, 1, sizeof(bytes), file);
        fclose(file);
        for (size_t cut = size > 64 ? size - 64 : 0; cut <= size; cut++)
            run(bytes, cut);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
