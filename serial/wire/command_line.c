/* Kind: core */
/* Commands over a serial line: from bytes to frames. */
#include "serial/wire/command.h"
#include "serial/wire/crc32c.h"

static void drop_front(struct command_line *line, uint32_t nr)
{
    line->used -= nr;
    __builtin_memmove(line->bytes, line->bytes + nr, line->used);
}

/* Process the front of the buffer. true: a complete frame, or a byte that cannot start one, was removed; call it again.
 */
static bool take_front(struct command_line *line, struct command_box *box, uint32_t stream_id)
{
    struct frame_header header;
    enum frame_error error = frame_header_parse(&header, line->bytes, line->used);
    uint32_t body, crc;

    if (line->used == 0 || (error == FRAME_SHORT && line->used < FRAME_HEADER_SIZE)) {
        return false;
    }
    if (error != FRAME_OK && error != FRAME_SHORT) {
        box->bad += error != FRAME_BAD_MAGIC; /* noise between frames does not count */
        drop_front(line, 1);
        return true;
    }
    body = FRAME_HEADER_SIZE + header.length;
    if (body + sizeof(crc) > sizeof(line->bytes)) {
        box->bad++;
        drop_front(line, 1);
        return true;
    }
    if (line->used < body + sizeof(crc)) {
        return false;
    }
    __builtin_memcpy(&crc, line->bytes + body, sizeof(crc));
    if (crc != crc32c(line->bytes + FRAME_HEADER_SIZE, header.length)) {
        /* A byte may have been lost, so the next frame may begin inside this one. */
        box->bad++;
        drop_front(line, 1);
        return true;
    }
    command_take(box, stream_id, &header, line->bytes + FRAME_HEADER_SIZE);
    drop_front(line, body + (uint32_t)sizeof(crc));
    return true;
}

void command_line_take(struct command_line *line, struct command_box *box, uint32_t stream_id, uint8_t byte)
{
    line->bytes[line->used++] = byte; /* there is room: take_front empties a full buffer */
    while (take_front(line, box, stream_id)) {
    }
}
