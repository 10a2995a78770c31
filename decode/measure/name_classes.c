#include "decode/measure/name_classes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct name_classes *classes, uint32_t number)
{
    if (number < classes->count)
        return true;
    const size_t count = 2 * (size_t)number + 64;
    uint32_t *known = realloc(classes->known, count * sizeof(*known));
    if (!known)
        return false;
    memset(known + classes->count, 0, (count - classes->count) * sizeof(*known));
    classes->known = known;
    classes->count = count;
    return true;
}

uint32_t name_class(struct name_classes *classes, const struct name *name)
{
    if (!make_room(classes, name->number))
        return classes->classify(classes->context, name);
    uint32_t *known = &classes->known[name->number];
    if (*known == 0)
        *known = classes->classify(classes->context, name);
    return *known;
}

void name_classes_free(struct name_classes *classes)
{
    free(classes->known);
    classes->known = NULL;
    classes->count = 0;
}
