/* Lists that grow by one item, and searches in sorted ones. Pure. */
#ifndef DECODE_LIST_H
#define DECODE_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Add an item of size bytes to a list of *count items with room for *room, and return it. NULL: out of memory. */
void *list_add(void **items, size_t *count, size_t *room, size_t size);

/* The number of items whose key is not above this one: the index of the first item after it. Each item has size bytes
 * and a uint64_t at key_offset, by which the items are sorted. */
size_t list_after(const void *items, size_t count, size_t size, size_t key_offset, uint64_t key);

/* The same for a member of a structure. */
#define LIST_AFTER(items, count, type, member, key) list_after(items, count, sizeof(type), offsetof(type, member), key)

#endif
