/*
 * Commands to the traced machine, the receiver's side. A UNIX socket in the capture directory takes them as lines
 * ("status", "set policy=drop"). They are sent as frames, and the machine's answers go back to the socket, one from
 * each CPU that runs. Commands are processed one after the other.
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

/* Sends a frame to the machine. false: not possible now, try again. */
typedef bool control_send(void *context, const uint8_t *frame, size_t size);

/* Listen in the directory. NULL: error says why. */
struct control *control_open(const char *directory, struct error *error);

/* Call often. send may be NULL: this source takes no commands. started: stream_id is known and frames can be sent;
 * until then a command waits, for a minute at most. The answers arrive in the store as STATUS records. */
void control_serve(struct control *control, bool started, uint32_t stream_id, const struct store *store,
                   control_send *send, void *context);

void control_close(struct control *control);

/* The address of the socket in a directory, with a path of any length. Returns the open directory, which the address
 * needs; -1 with errno. */
struct sockaddr_un;
int control_address(struct sockaddr_un *address, const char *directory);

#endif
