/* From one address space to another. */
#ifndef DECODE_ENGINE_EVENTS_SPACE_H
#define DECODE_ENGINE_EVENTS_SPACE_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A PIP packet. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet);

/* Root has entered a guest that is not traced where it goes on: in user mode, with the kernel alone traced. No PIP
 * tells its space. It is as at the last PIP of a guest, since a guest that is not seen cannot load CR3, nor does root
 * for it.
 */
enum flow_error event_enter_unseen(struct engine *engine);

/* What entered a guest or switched tasks or spaces is executed: a MOV to CR3 needs no other packet, the others wait for
 * their TIP. */
enum flow_error event_enter(struct engine *engine);

#endif
