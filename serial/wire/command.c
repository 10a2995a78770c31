/* Kind: core */
/* Commands from the receiver. */
#include "serial/wire/command.h"

#include "serial/wire/crc32c.h"

#define AFTER_CRC offsetof(struct command_head, opcode)
_Static_assert(sizeof(struct command_head) == 8, "docs/wire.md: the text begins 8 bytes into the payload");

static const char *const command_names[] = {[COMMAND_STATUS] = "status",
                                            [COMMAND_PAUSE] = "pause",
                                            [COMMAND_RESUME] = "resume",
                                            [COMMAND_SNAPSHOT] = "snapshot",
                                            [COMMAND_SET] = "set"};
#define NR_NAMES (sizeof(command_names) / sizeof(command_names[0]))

static bool is_same_word(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

enum command_opcode command_opcode_of(const char *word)
{
    for (unsigned i = COMMAND_STATUS; i < NR_NAMES; i++) {
        if (is_same_word(word, command_names[i])) {
            return (enum command_opcode)i;
        }
    }
    return (enum command_opcode)0;
}

const char *command_name(unsigned opcode)
{
    return opcode >= COMMAND_STATUS && opcode < NR_NAMES ? command_names[opcode] : "unknown";
}

static bool is_whole(const struct frame_header *header, const uint8_t *payload, struct command_head *head)
{
    if (header->length < sizeof(*head)) {
        return false;
    }
    __builtin_memcpy(head, payload, sizeof(*head));
    return head->length <= COMMAND_TEXT_MAX && header->length == sizeof(*head) + head->length &&
           head->crc == crc32c(payload + AFTER_CRC, header->length - AFTER_CRC);
}

bool command_take(struct command_box *box, uint32_t stream_id, const struct frame_header *header,
                  const uint8_t *payload)
{
    struct command_head head;
    struct command *to = &box->items[box->tail % COMMAND_BOX_SLOTS]; /* the oldest, already executed */

    if (header->kind != FRAME_COMMAND || header->stream_id != stream_id || !is_whole(header, payload, &head)) {
        box->bad++;
        return false;
    }
    if (header->seq == box->last) { /* the answer was late, and is already in flight */
        box->repeated++;
        return false;
    }
    if ((int32_t)(header->seq - box->last) < 0 || box->tail - box->done == COMMAND_BOX_SLOTS) {
        box->bad++;
        return false;
    }
    to->number = box->last = header->seq;
    to->opcode = head.opcode;
    __builtin_memcpy(to->text, payload + sizeof(head), head.length);
    to->text[head.length] = '\0';
    __atomic_store_n(&box->tail, box->tail + 1, __ATOMIC_RELAXED); /* command_waits reads it without the lock */
    box->taken++;
    return true;
}

enum command_found command_at(const struct command_box *box, uint32_t cursor, struct command *command)
{
    if (cursor == box->tail) {
        return COMMAND_NONE;
    }
    if (box->tail - cursor > COMMAND_BOX_SLOTS) {
        return COMMAND_MISSED;
    }
    *command = box->items[cursor % COMMAND_BOX_SLOTS];
    return COMMAND_FOUND;
}

void command_done(struct command_box *box, uint32_t cursor)
{
    if ((int32_t)(cursor - box->done) > 0) {
        box->done = cursor;
    }
}

size_t command_build(uint8_t *bytes, uint32_t stream_id, const struct command *command)
{
    struct command_head head = {.opcode = command->opcode};
    struct frame_header header = {.kind = FRAME_COMMAND, .stream_id = stream_id, .seq = command->number};
    uint8_t *payload = bytes + FRAME_HEADER_SIZE;

    while (command->text[head.length] != '\0') {
        if (++head.length > COMMAND_TEXT_MAX) {
            return 0;
        }
    }
    header.length = (uint16_t)(sizeof(head) + head.length);
    __builtin_memcpy(payload, &head, sizeof(head));
    __builtin_memcpy(payload + sizeof(head), command->text, head.length);
    head.crc = crc32c(payload + AFTER_CRC, header.length - AFTER_CRC);
    __builtin_memcpy(payload, &head, sizeof(head));
    frame_header_seal(&header);
    __builtin_memcpy(bytes, &header, sizeof(header));
    return FRAME_HEADER_SIZE + header.length;
}
