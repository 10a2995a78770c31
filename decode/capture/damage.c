#include "decode/capture/damage.h"

#include <stdio.h>
#include <string.h>

void damages_add(struct damages *damages, enum damage_kind kind, const char *file, uint64_t offset, uint64_t size)
{
    size_t kept = damages->count < DAMAGES_KEPT ? damages->count : DAMAGES_KEPT;
    for (size_t i = 0; i < kept; i++) {
        struct damage *damage = &damages->items[i];
        if (kind != DAMAGE_LOST && damage->kind == kind && !strcmp(damage->file, file) &&
            damage->offset + damage->size == offset) {
            damage->size += size;
            return;
        }
    }
    damages->count++;
    if (kept == DAMAGES_KEPT)
        return;
    damages->items[kept] = (struct damage){.kind = kind, .offset = offset, .size = size};
    snprintf(damages->items[kept].file, CHECKSUM_FILE_NAME, "%s", file);
}

bool damages_touch(const struct damages *damages, const char *file, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; i < damages->count && i < DAMAGES_KEPT; i++) {
        const struct damage *damage = &damages->items[i];
        if (damage->kind != DAMAGE_LOST && !strcmp(damage->file, file) && damage->offset < offset + size &&
            offset < damage->offset + damage->size)
            return true;
    }
    return false;
}
