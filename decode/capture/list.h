/* Lists that grow by one item. */
#ifndef DECODE_LIST_H
#define DECODE_LIST_H

#include <stddef.h>

/* Add an item of size bytes to a list of *count items with room for *room, and return it. NULL: out of memory. */
void *list_add(void **items, size_t *count, size_t *room, size_t size);

#endif
