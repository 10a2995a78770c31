#include "decode/names/frames.h"

#include <string.h>

#include "decode/names/bytes.h"

/* DW_EH_PE_*: encodings of addresses. */
#define PCREL 0x10u
#define APPLICATION 0x70u
#define SDATA4 0x0bu
#define FORM 0x0fu
#define UNKNOWN 0xffu

struct frames {
    const uint8_t *bytes;
    uint64_t size, address; /* of the section */
    uint64_t mask;          /* of addresses */
};

/* The offset after a LEB128 number. */
static uint64_t skip_leb128(const struct frames *frames, uint64_t at, uint64_t end)
{
    while (at < end && (frames->bytes[at] & 0x80))
        at++;
    return at < end ? at + 1 : end;
}

/* The encoding of addresses in the FDEs of the CIE at an offset: the data of letter R in its augmentation "z...". */
static uint8_t address_form(const struct frames *frames, uint64_t cie)
{
    if (cie > frames->size || frames->size - cie < 16)
        return UNKNOWN;
    const uint64_t length = read32(frames->bytes + cie);
    if (length < 12 || length > frames->size - cie - 4 || read32(frames->bytes + cie + 4) != 0)
        return UNKNOWN;
    const uint64_t end = cie + 4 + length;
    const char *text = (const char *)frames->bytes + cie + 9;
    const size_t letters = strnlen(text, (size_t)(end - cie - 9));
    if (text[0] != 'z' || letters == end - cie - 9)
        return UNKNOWN;
    uint64_t at = cie + 9 + letters + 1;
    for (unsigned i = 0; i < 4; i++) /* code and data alignment, return address register, length of the data */
        at = skip_leb128(frames, at, end);
    for (size_t i = 1; i < letters && at < end; i++) {
        if (text[i] == 'R')
            return frames->bytes[at];
        if (text[i] == 'P') /* the encoding of the personality routine's address, then the address */
            at += (frames->bytes[at] & FORM) == SDATA4 ? 5 : 9;
        else if (text[i] == 'L')
            at++;
        else if (text[i] != 'S' && text[i] != 'B')
            return UNKNOWN;
    }
    return UNKNOWN;
}

void frames_read(struct symbol_table *symbols, const struct elf_file *file)
{
    const struct elf_section *section = elf_section_named(file, ".eh_frame");
    if (!section || !section->bytes)
        return;
    const struct frames frames = {section->bytes, section->size, section->address,
                                  file->wide ? UINT64_MAX : UINT32_MAX};
    for (uint64_t at = 0; frames.size - at >= 16;) {
        const uint64_t length = read32(frames.bytes + at), back = read32(frames.bytes + at + 4);
        if (length < 4 || length > frames.size - at - 4)
            return;
        const uint64_t begin_at = at + 8;
        if (back != 0 && back <= at + 4 && length >= 12) {
            const uint8_t form = address_form(&frames, at + 4 - back);
            const uint64_t begin = (uint64_t)(int64_t)(int32_t)read32(frames.bytes + begin_at) +
                                   ((form & APPLICATION) == PCREL ? frames.address + begin_at : 0);
            const uint32_t size = read32(frames.bytes + begin_at + 4);
            if (form != UNKNOWN && (form & FORM) == SDATA4 && size)
                symbol_table_add(symbols, begin & frames.mask, size, NULL, UINT32_MAX);
        }
        at += 4 + length;
    }
}
