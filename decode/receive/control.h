/*
 * Commands to the traced machine, the receiver's side: a UNIX socket in the capture directory takes them as lines
 * ("status", "set policy=drop"), they go out as frames, and the machine's answers go back, one of each CPU that runs.
 * One command after the other.
 */
#ifndef DECODE_CONTROL_H
#define DECODE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/receive/store.h"

#define CONTROL_SOCKET "control"

struct control;

/* The way to the machine. false: not now, try again. */
typedef bool control_send(void *context, const uint8_t *frame, size_t size);

/* Listen in the directory. NULL: error says why. */
struct control *control_open(const char *directory, struct error *error);

/* Call often. send may be NULL: this source takes no commands. started: stream_id is known, frames can be sent; until
 * then a command waits, a minute at most. The answers are in the store: each CPU gives its own, when it runs. */
void control_serve(struct control *control, bool started, uint32_t stream_id, const struct store *store,
                   control_send *send, void *context);

void control_close(struct control *control);

/* Address of the socket in a directory, whatever the directory's name is long. Returns the open directory, -1 with
 * errno. */
struct sockaddr_un;
int control_address(struct sockaddr_un *address, const char *directory);

#endif
