/* What the fuzz targets share. Each has LLVMFuzzerTestOneInput, which libFuzzer calls; tests/fuzz/replay.c calls it
 * with files, for `make check`. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define DEMAND(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #what);                                   \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
