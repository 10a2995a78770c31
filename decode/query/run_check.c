#include "decode/query/run_check.h"

#include <string.h>

#define MOST_INSTRUCTIONS 32767u

/* Reads code, and keeps the last page that it found. */
struct reader {
    const struct code_pages *pages;
    uint64_t space, at, gva;
    const struct page_record *page;
};

static const struct page_record *page_of(struct reader *reader, uint64_t address)
{
    const uint64_t gva = address - address % RECORD_PAGE_SIZE;
    if (!reader->page || reader->gva != gva) {
        reader->page = code_pages_find(reader->pages, reader->space, reader->at, gva).page;
        reader->gva = gva;
    }
    return reader->page;
}

/* The bytes at an address, on both sides of a page's end. Returns how many. */
static uint32_t read_bytes(struct reader *reader, uint64_t address, uint8_t bytes[INSTRUCTION_MAX_BYTES])
{
    uint32_t count = 0;
    while (count < INSTRUCTION_MAX_BYTES) {
        const struct page_record *page = page_of(reader, address + count);
        const uint32_t offset = (uint32_t)((address + count) % RECORD_PAGE_SIZE);
        uint32_t part = (uint32_t)RECORD_PAGE_SIZE - offset;
        if (!page)
            break;
        part = part < INSTRUCTION_MAX_BYTES - count ? part : INSTRUCTION_MAX_BYTES - count;
        memcpy(bytes + count, page->bytes + offset, part);
        count += part;
    }
    return count;
}

static bool is_straight(uint8_t kind)
{
    return kind == INSTRUCTION_PLAIN || kind == INSTRUCTION_MOV_CR3 || kind == INSTRUCTION_PTWRITE;
}

uint32_t run_check(const struct code_pages *pages, uint64_t space, uint64_t at, enum instruction_mode mode,
                   uint64_t begin, uint64_t end)
{
    struct reader reader = {.pages = pages, .space = space, .at = at};
    uint32_t count = 0;
    while (begin < end && count < MOST_INSTRUCTIONS) {
        struct instruction instruction;
        uint8_t bytes[INSTRUCTION_MAX_BYTES];
        const uint32_t size = read_bytes(&reader, begin, bytes);
        if (instruction_decode(&instruction, bytes, size, mode) != INSTRUCTION_DECODED ||
            !is_straight(instruction.kind))
            return 0;
        begin += instruction.length;
        count++;
    }
    return begin == end ? count : 0;
}
