/*
 * Commands from the receiver: frames of kind FRAME_COMMAND, and what the sender keeps of them until root acts on them.
 *
 * A command has a number, the frame's seq, which grows from command to command: a repeated one is known by it. The
 * answer is a RECORD_STATUS with that number. docs/wire.md is the specification. Core.
 */
#ifndef SERIAL_WIRE_COMMAND_H
#define SERIAL_WIRE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

enum command_opcode {
    COMMAND_STATUS = 1,   /* only answer */
    COMMAND_PAUSE = 2,    /* trace no more */
    COMMAND_RESUME = 3,   /* trace again */
    COMMAND_SNAPSHOT = 4, /* send all that has been written up to now */
    COMMAND_SET = 5       /* text: options, as "policy=drop pt.user=off" */
};

#define COMMAND_TEXT_MAX 200u

/* A command frame's payload; length bytes of text follow. */
struct command_head {
    uint32_t crc; /* CRC-32C of all payload bytes behind it */
    uint16_t opcode;
    uint16_t length;
};
#define COMMAND_FRAME_MAX (FRAME_HEADER_SIZE + sizeof(struct command_head) + COMMAND_TEXT_MAX)

struct command {
    uint32_t number;
    uint16_t opcode;
    char text[COMMAND_TEXT_MAX + 1]; /* ends with a NUL */
};

#define COMMAND_BOX_SLOTS 4u

/* The newest commands, and what else came. Each CPU carries each command out: it has a cursor, how many it has done. A
 * CPU may come late by more than the box holds, having waited for its SIPI. */
struct command_box {
    uint32_t last; /* number of the newest one taken */
    uint32_t tail; /* how many were taken; the newest is items[(tail - 1) % COMMAND_BOX_SLOTS] */
    uint32_t done; /* the cursor of the CPU that is ahead: what is before it may be overwritten */
    uint64_t taken, repeated;
    uint64_t bad; /* no frame, of another stream, damaged, out of turn, or no room: all ignored */
    struct command items[COMMAND_BOX_SLOTS];
};

/* Take what came from the receiver and was no acknowledgement. header has passed frame_header_parse. false: ignored
 * and counted. */
bool command_take(struct command_box *box, uint32_t stream_id, const struct frame_header *header,
                  const uint8_t *payload);

/* Is there any for this cursor? */
static inline bool command_waits(const struct command_box *box, uint32_t cursor)
{
    return __atomic_load_n(&box->tail, __ATOMIC_RELAXED) != cursor;
}

enum command_found {
    COMMAND_NONE,
    COMMAND_FOUND,
    COMMAND_MISSED /* it was overwritten: all up to box->done have been carried out by another CPU */
};

/* The command behind the cursor's. */
enum command_found command_at(const struct command_box *box, uint32_t cursor, struct command *command);

/* A CPU has carried out the commands before the cursor. What of them concerns CPUs that come late is known to all. */
void command_done(struct command_box *box, uint32_t cursor);

/* A serial line brings a command's bytes one by one, and may lose some: behind the payload stand four bytes CRC-32C of
 * it, as with every frame there. */
struct command_line {
    uint32_t used;
    uint8_t bytes[COMMAND_FRAME_MAX + 4];
};

/* Take a byte. */
void command_line_take(struct command_line *line, struct command_box *box, uint32_t stream_id, uint8_t byte);

/* Build the whole frame at bytes, which has room for COMMAND_FRAME_MAX. Returns its size; 0: the text is too long. */
size_t command_build(uint8_t *bytes, uint32_t stream_id, const struct command *command);

/* status, pause, resume, snapshot, set; 0: no such word. */
enum command_opcode command_opcode_of(const char *word);
const char *command_name(unsigned opcode); /* "unknown" where there is none */

#ifdef __cplusplus
}
#endif

#endif
