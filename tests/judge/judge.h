/* libipt as an engine of decode/engine/flow.h, which ours is compared with. */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "decode/engine/flow.h"

extern const struct flow_ops flow_engine_libipt;

#endif
