#include "decode/names/name_offsets.h"

#include "decode/names/names_state.h"

#define PAGE RECORD_PAGE_SIZE

/* Set 1 at each offset of a wanted function, until sum_up. */
static void mark(uint16_t *offsets, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end && i - begin < PAGE; i++)
        offsets[i % PAGE] = 1;
}

static void take_object(struct name_offsets *offsets, const struct object *object,
                        bool (*is_wanted)(void *context, const char *symbol), void *context)
{
    const bool upper = object->kind == OBJECT_KERNEL || object->kind == OBJECT_MODULE;
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct symbol_entry *entry = &object->symbols.entries[i];
        if (!entry->name || !is_wanted(context, entry->name))
            continue;
        mark(offsets->both, entry->begin, entry->end);
        mark(upper ? offsets->upper : offsets->lower, entry->begin, entry->end);
    }
}

static void sum_up(uint16_t *offsets)
{
    uint16_t sum = 0;
    for (size_t i = 0; i <= PAGE; i++) {
        const uint16_t own = offsets[i];
        offsets[i] = sum;
        sum = (uint16_t)(sum + own);
    }
}

void name_offsets_find(struct name_offsets *offsets, const struct names *names,
                       bool (*is_wanted)(void *context, const char *symbol), void *context)
{
    *offsets = (struct name_offsets){0};
    if (names->kernel_object)
        take_object(offsets, names->kernel_object, is_wanted, context);
    for (size_t i = 0; i < names->nr_objects; i++)
        take_object(offsets, names->objects[i], is_wanted, context);
    sum_up(offsets->upper);
    sum_up(offsets->lower);
    sum_up(offsets->both);
}

bool name_offsets_may(const struct name_offsets *offsets, bool of_process, uint64_t first, uint64_t last)
{
    const uint16_t *sums = first >> 63 ? offsets->upper : of_process ? offsets->lower : offsets->both;
    const uint64_t begin = first % PAGE, end = begin + (last - first) + 1;
    if (last - first >= PAGE)
        return sums[PAGE] > 0;
    return end <= PAGE ? sums[end] > sums[begin] : sums[PAGE] > sums[begin] || sums[end - PAGE] > 0;
}
