/* Changes of the address space. */
#ifndef DECODE_ENGINE_EVENTS_SPACE_H
#define DECODE_ENGINE_EVENTS_SPACE_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A PIP packet. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet);

/* A VM entry led to code that is not traced, for example to user mode while only the kernel is traced. So no PIP gives
 * the guest's CR3. It is that of the guest's last PIP, because neither user mode nor root operation has changed it. */
enum flow_error event_enter_unseen(struct engine *engine);

/* Follow the code to the instruction that caused a PIP, and execute it: a MOV to CR3 completes, a VM entry or far
 * transfer waits for its TIP. */
enum flow_error event_enter(struct engine *engine);

#endif
