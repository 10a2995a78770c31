/* From one address space to another. */
#ifndef DECODE_ENGINE_EVENTS_SPACE_H
#define DECODE_ENGINE_EVENTS_SPACE_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A PIP packet. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet);

/* Root has entered a guest that is not traced where it continues: in user mode, while only the kernel is traced. No PIP
 * gives its CR3. It is that of the last PIP of a guest: neither user mode nor root has loaded another one since. */
enum flow_error event_enter_unseen(struct engine *engine);

/* What entered a guest or switched tasks or spaces is executed: a MOV to CR3 needs no other packet, the others wait for
 * their TIP. */
enum flow_error event_enter(struct engine *engine);

#endif
