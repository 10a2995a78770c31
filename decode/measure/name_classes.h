/* What a measurement makes of each name: found once for a name, since calls are many and names are few. Pure. */
#ifndef DECODE_MEASURE_NAME_CLASSES_H
#define DECODE_MEASURE_NAME_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/names/names.h"

struct name_classes {
    uint32_t (*classify)(void *context, const struct name *name); /* at least 1 */
    void *context;
    uint32_t *known; /* by number of the name; 0: not classified yet */
    size_t count;
};

/* The class of a name. Without memory, it is classified each time. */
uint32_t name_class(struct name_classes *classes, const struct name *name);
void name_classes_free(struct name_classes *classes);

#endif
