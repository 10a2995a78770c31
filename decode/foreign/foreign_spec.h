/* How a file and where it stood in memory are written: FILE@VADDR, FILE:VADDR, FILE:OFFSET[-END]:VADDR. Pure. */
#ifndef DECODE_FOREIGN_SPEC_H
#define DECODE_FOREIGN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct foreign_spec {
    size_t name_size; /* the file's name is that many of the first characters */
    bool placed;      /* an address is given: */
    uint64_t gva;
    uint64_t offset, end; /* of the file; UINT64_MAX: to its end */
};

/* false: there is no name. */
bool foreign_spec_read(struct foreign_spec *spec, const char *text);

/* FILE, FILE:OFFSET or FILE:OFFSET-END, of a file that stands nowhere. */
void foreign_spec_part(struct foreign_spec *spec, const char *text);

/* To be freed. NULL: error says why. */
char *foreign_spec_name(const struct foreign_spec *spec, const char *text, struct error *error);

#endif
