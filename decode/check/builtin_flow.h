/* The branches that the self-test's own guest (boot/guest/builtin_guest.S) takes, in order. Pure. */
#ifndef DECODE_BUILTIN_FLOW_H
#define DECODE_BUILTIN_FLOW_H

#include <stdint.h>

/* Call take() for each branch, as decode/truth.h counts them, of a guest that was entered at base and runs so many
 * rounds, up to the write that ends it. */
void builtin_flow(uint64_t base, uint32_t rounds, void (*take)(void *context, uint64_t from, uint64_t to),
                  void *context);

#endif
