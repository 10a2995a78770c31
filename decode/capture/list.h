/* Lists that grow by one. */
#ifndef DECODE_LIST_H
#define DECODE_LIST_H

#include <stddef.h>

/* A place for one more item of size bytes in a list of *count, which has room for *room. NULL: no memory. */
void *list_add(void **items, size_t *count, size_t *room, size_t size);

#endif
