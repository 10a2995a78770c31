/* Events at branches: each is event_take, and what it tells. */
#ifndef DECODE_ENGINE_TELL_BRANCH_H
#define DECODE_ENGINE_TELL_BRANCH_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

enum flow_error tell_fup(struct engine *engine, const struct packet *packet);
enum flow_error tell_tip(struct engine *engine, const struct packet *packet);
enum flow_error tell_pge(struct engine *engine, const struct packet *packet);
enum flow_error tell_pgd(struct engine *engine, const struct packet *packet);
enum flow_error tell_pip(struct engine *engine, const struct packet *packet);
enum flow_error tell_vmcs(struct engine *engine, const struct packet *packet);

/* With flow_input.ticks: a branch was taken, to ip; NULL: it was the last instruction. */
void tell_tick(struct engine *engine, const uint64_t *ip);

#endif
