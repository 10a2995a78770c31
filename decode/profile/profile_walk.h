/* All nodes of a call tree below one, callers first. Pure. */
#ifndef DECODE_PROFILE_WALK_H
#define DECODE_PROFILE_WALK_H

#include "decode/profile/profile.h"

/* Called at a node before the nodes below it, and after them. leave may be NULL. */
struct profile_visitor {
    void (*enter)(void *context, uint32_t node);
    void (*leave)(void *context, uint32_t node);
    void *context;
};

/* Without the root itself, and without recursion: a guest's stacks may be deep. */
void profile_walk(const struct profile *profile, uint32_t root, const struct profile_visitor *visitor);

#endif
