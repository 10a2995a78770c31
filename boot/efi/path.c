/* Kind: core, init */
/* Source: UEFI Specification 2.10, section 10.2 "EFI Device Path Protocol", 10.3.5.4 "File Path Media Device Path". */
#include "boot/efi/path.h"

#include <string.h>

#include "base/bytes.h"

enum node_field { NODE_TYPE = 0, NODE_SUBTYPE = 1, NODE_LENGTH = 2, NODE_HEADER_SIZE = 4 };
enum { TYPE_MEDIA = 4, SUBTYPE_FILE = 4, TYPE_END = 0x7f, SUBTYPE_END_ALL = 0xff };
#define PATH_BYTES_MAX 4096u

/* UCS-2 text in out, of used bytes. */
struct text {
    uint8_t *out;
    size_t size, used;
    bool full;
};

static void text_add(struct text *text, uint16_t c)
{
    text->full |= text->size - text->used < 2;
    if (text->full)
        return;
    put16(text->out + text->used, c);
    text->used += 2;
}

static uint16_t text_last(const struct text *text)
{
    return text->used ? read16(text->out + text->used - 2) : 0;
}

/* A path may be in several nodes, with a separator at the ends of none. */
static void add_node(struct text *text, const uint8_t *node, size_t bytes)
{
    if (text->used && text_last(text) != '\\' && bytes >= 2 && read16(node) != '\\')
        text_add(text, '\\');
    for (size_t i = 0; i + 2 <= bytes && read16(node + i) != 0; i += 2)
        text_add(text, read16(node + i));
}

bool path_beside(uint8_t *out, size_t size, const uint8_t *nodes, const char *name)
{
    struct text text = {.out = out, .size = size};

    for (size_t at = 0; at < PATH_BYTES_MAX && nodes[at + NODE_TYPE] != TYPE_END;) {
        const size_t length = read16(nodes + at + NODE_LENGTH);
        if (length < NODE_HEADER_SIZE)
            return false;
        if (nodes[at + NODE_TYPE] == TYPE_MEDIA && nodes[at + NODE_SUBTYPE] == SUBTYPE_FILE)
            add_node(&text, nodes + at + NODE_HEADER_SIZE, length - NODE_HEADER_SIZE);
        at += length;
    }
    while (text.used && text_last(&text) != '\\')
        text.used -= 2;
    if (text.used == 0)
        text_add(&text, '\\');
    for (; *name; name++)
        text_add(&text, (uint8_t)*name);
    text_add(&text, 0);
    return !text.full;
}

/* Bytes of the nodes before the end, SIZE_MAX if there is none. */
static size_t nodes_bytes(const uint8_t *nodes)
{
    size_t at = 0;

    while (nodes[at + NODE_TYPE] != TYPE_END) {
        const size_t length = read16(nodes + at + NODE_LENGTH);
        if (length < NODE_HEADER_SIZE || at + length > PATH_BYTES_MAX)
            return SIZE_MAX;
        at += length;
    }
    return at;
}

static void put_header(uint8_t *node, uint8_t type, uint8_t subtype, size_t length)
{
    node[NODE_TYPE] = type;
    node[NODE_SUBTYPE] = subtype;
    put16(node + NODE_LENGTH, (uint16_t)length);
}

size_t path_of_file(uint8_t *out, size_t size, const uint8_t *device, const char *path, size_t length)
{
    const size_t before = nodes_bytes(device), node = NODE_HEADER_SIZE + 2 * (length + 1);

    if (before == SIZE_MAX || before + node + NODE_HEADER_SIZE > size || node > PATH_BYTES_MAX)
        return 0;
    memcpy(out, device, before);
    put_header(out + before, TYPE_MEDIA, SUBTYPE_FILE, node);
    for (size_t i = 0; i < length; i++)
        put16(out + before + NODE_HEADER_SIZE + 2 * i, path[i] == '/' ? '\\' : (uint8_t)path[i]);
    put16(out + before + NODE_HEADER_SIZE + 2 * length, 0);
    put_header(out + before + node, TYPE_END, SUBTYPE_END_ALL, NODE_HEADER_SIZE);
    return before + node + NODE_HEADER_SIZE;
}
