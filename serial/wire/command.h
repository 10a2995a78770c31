/*
 * Commands from the receiver: frames of kind FRAME_COMMAND, and the queue from which root mode executes them.
 *
 * Each command has a number, the frame's seq. Numbers increase, so that a repeated command is recognized. The answer is
 * a RECORD_STATUS with that number. docs/wire.md is the specification. Core.
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
    COMMAND_STATUS = 1,   /* report the state */
    COMMAND_PAUSE = 2,    /* stop tracing */
    COMMAND_RESUME = 3,   /* continue tracing */
    COMMAND_SNAPSHOT = 4, /* send all trace that has been written so far */
    COMMAND_SET = 5       /* text: options, such as "policy=drop pt.user=off" */
};

#define COMMAND_TEXT_MAX 200u

/* A command frame's payload; length bytes of text follow. */
struct command_head {
    uint32_t crc; /* CRC-32C of all payload bytes after it */
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

/* The newest commands, and counters. Every CPU executes every command. It has a cursor, the number of commands that it
 * has executed. A CPU that waits for its SIPI can lag by more than the box holds. */
struct command_box {
    uint32_t last; /* number of the newest command */
    uint32_t tail; /* how many were accepted; the newest is items[(tail - 1) % COMMAND_BOX_SLOTS] */
    uint32_t done; /* the largest cursor of all CPUs: commands before it may be overwritten */
    uint64_t taken, repeated;
    uint64_t bad; /* ignored: not a frame, of another stream, damaged, out of order, or no room */
    struct command items[COMMAND_BOX_SLOTS];
};

/* Accept a frame from the receiver that is not an acknowledgement. header has passed frame_header_parse. false: it was
 * ignored and counted. */
bool command_take(struct command_box *box, uint32_t stream_id, const struct frame_header *header,
                  const uint8_t *payload);

/* Is there a command for this cursor? */
static inline bool command_waits(const struct command_box *box, uint32_t cursor)
{
    return __atomic_load_n(&box->tail, __ATOMIC_RELAXED) != cursor;
}

enum command_found {
    COMMAND_NONE,
    COMMAND_FOUND,
    COMMAND_MISSED /* it was overwritten: another CPU has executed all commands before box->done */
};

/* Get the first command that this cursor has not executed. */
enum command_found command_at(const struct command_box *box, uint32_t cursor, struct command *command);

/* A CPU has executed the commands before the cursor, and published their effects for CPUs that lag. */
void command_done(struct command_box *box, uint32_t cursor);

/* On a serial line, bytes of a command arrive one by one, and some may be lost. As with all frames there, the payload
 * is followed by its CRC-32C in four bytes. */
struct command_line {
    uint32_t used;
    uint8_t bytes[COMMAND_FRAME_MAX + 4];
};

/* Process one received byte. */
void command_line_take(struct command_line *line, struct command_box *box, uint32_t stream_id, uint8_t byte);

/* Build a command's frame at bytes, which has room for COMMAND_FRAME_MAX. Returns its size; 0: the text is too long. */
size_t command_build(uint8_t *bytes, uint32_t stream_id, const struct command *command);

/* Convert status, pause, resume, snapshot or set to its opcode; 0: another word. */
enum command_opcode command_opcode_of(const char *word);
const char *command_name(unsigned opcode); /* the reverse; "unknown" if there is none */

#ifdef __cplusplus
}
#endif

#endif
