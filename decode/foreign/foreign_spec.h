/* The syntax of a file and its address: FILE@VADDR, FILE:VADDR, FILE:OFFSET[-END]:VADDR. Pure. */
#ifndef DECODE_FOREIGN_SPEC_H
#define DECODE_FOREIGN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct foreign_spec {
    size_t name_size; /* characters of the file name, at the start */
    bool placed;      /* gva is given */
    uint64_t gva;
    uint64_t offset, end; /* of the file; UINT64_MAX: to its end */
};

/* false: there is no name. */
bool foreign_spec_read(struct foreign_spec *spec, const char *text);

/* FILE, FILE:OFFSET or FILE:OFFSET-END, for a file without an address. */
void foreign_spec_part(struct foreign_spec *spec, const char *text);

/* The file name; free() it. NULL: error says why. */
char *foreign_spec_name(const struct foreign_spec *spec, const char *text, struct error *error);

#endif
