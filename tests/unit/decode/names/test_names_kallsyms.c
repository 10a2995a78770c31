/*
 * kallsyms in the layouts that scripts/kallsyms.c of different versions writes, in an image without other symbols. The
 * encoder shares no code with the reader.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/names/kernel/kallsyms.h"
#include "decode/names/kernel/kallsyms_find.h"
#include "decode/names/kernel/kernel_image.h"
#include "tests/unit/decode/names/elf_fixture.h"

#define TEXT 0xffffffff81000000ull
#define RODATA 0xffffffff82000000ull
#define SYMBOLS 700u
#define ROOM (256u << 10)
#define BIG 300u /* length of one name: more than 127 tokens */

/* What differs between versions. */
struct layout {
    const char *version;
    bool moved;     /* 6.4: the offsets are after the token index */
    bool sequences; /* 6.2: seqs_of_names */
    bool big;       /* 6.1: lengths of two bytes */
    size_t align;   /* 8; 4 without a base of 8 bytes */
    int form;       /* 0: absolute or negative (up to 6.14), 1: added to the base, 2: relative to the entry's address */
    bool percpu_low; /* there are symbols at low addresses */
};

static const struct layout layouts[] = {
    {"5.10", false, false, false, 8, 0, true},     {"6.1", false, false, true, 8, 0, true},
    {"6.2", false, true, true, 8, 0, true},        {"6.4", true, true, true, 8, 0, true},
    {"after 6.14", true, true, true, 8, 1, false}, {"7.2", true, true, true, 4, 2, false},
    {"5.10 UP", false, false, false, 8, 1, false},
};

static struct {
    uint64_t address;
    char name[BIG + 64];
    char type;
} symbols[SYMBOLS];

/* Letters that are joined into a token; every other letter is a token. */
static const char *const pairs[] = {"sys_", "_re", "Tx8", "do_", "tfu", "nc_", "__", "01"};
#define FIRST_PAIR 1u /* token numbers of letters that no name has */

static const char *token_text(unsigned token, char letter[2])
{
    if (token >= FIRST_PAIR && token < FIRST_PAIR + sizeof(pairs) / sizeof(pairs[0]))
        return pairs[token - FIRST_PAIR];
    letter[0] = token >= ' ' && token <= '~' ? (char)token : '?';
    letter[1] = '\0';
    return letter;
}

struct made {
    uint8_t bytes[ROOM];
    size_t size, align;
};

static void align(struct made *made)
{
    while (made->size % made->align)
        made->bytes[made->size++] = 0;
}

static void put(struct made *made, const void *bytes, size_t size)
{
    assert_true(made->size + size <= ROOM);
    memcpy(made->bytes + made->size, bytes, size);
    made->size += size;
}

static void put32(struct made *made, uint32_t value)
{
    put(made, &value, sizeof(value));
}

static void make_symbols(const struct layout *layout)
{
    for (unsigned i = 0; i < SYMBOLS; i++) {
        symbols[i].address = TEXT + (uint64_t)(i > 6 ? i - 6 : 0) * 24; /* with aliases */
        if (layout->percpu_low && i < 5)
            symbols[i].address = i * 4096;
        symbols[i].type = "Ttw"[i % 3];
        snprintf(symbols[i].name, sizeof(symbols[i].name), "%s%sfunc_%u", i % 5 ? "do_" : "__x8", i % 7 ? "sys_" : "",
                 i);
    }
    strcpy(symbols[5].name, "_stext");
    strcpy(symbols[6].name, "_text");
    symbols[5].type = symbols[6].type = 'T';
    if (layout->big) {
        memset(symbols[600].name, 'q', BIG);
        strcpy(symbols[600].name + BIG, "_end_of_it");
    }
}

/* Encode a symbol; returns the number of tokens. */
static size_t encode(uint8_t *tokens, unsigned index)
{
    char text[BIG + 80], letter[2];
    size_t count = 0;
    snprintf(text, sizeof(text), "%c%s", symbols[index].type, symbols[index].name);
    for (const char *at = text; *at;) {
        unsigned best = (unsigned char)*at;
        size_t length = 1;
        for (unsigned token = FIRST_PAIR; token < FIRST_PAIR + sizeof(pairs) / sizeof(pairs[0]); token++) {
            const char *pair = token_text(token, letter);
            if (strlen(pair) > length && !strncmp(at, pair, strlen(pair))) {
                best = token;
                length = strlen(pair);
            }
        }
        tokens[count++] = (uint8_t)best;
        at += length;
    }
    return count;
}

static void put_offsets(struct made *made, const struct layout *layout)
{
    align(made);
    const uint64_t place = RODATA + made->size;
    for (unsigned i = 0; i < SYMBOLS; i++) {
        const uint64_t address = symbols[i].address;
        const uint64_t offset = layout->form == 2   ? address - (place + 4ull * i)
                                : layout->form == 1 ? address - TEXT
                                : address < TEXT    ? address
                                                    : TEXT - 1 - address;
        put32(made, (uint32_t)offset);
    }
    align(made);
    if (layout->form != 2) {
        const uint64_t base = TEXT;
        put(made, &base, sizeof(base));
    }
}

static void put_names(struct made *made)
{
    uint32_t markers[(SYMBOLS + 255) / 256] = {0};
    align(made);
    put32(made, SYMBOLS);
    align(made);
    const size_t first = made->size;
    for (unsigned i = 0; i < SYMBOLS; i++) {
        uint8_t tokens[BIG + 80] = {0};
        const size_t count = encode(tokens, i);
        if (i % 256 == 0)
            markers[i / 256] = (uint32_t)(made->size - first);
        const uint8_t length[2] = {(uint8_t)(count < 128 ? count : 0x80 | (count & 0x7f)), (uint8_t)(count >> 7)};
        put(made, length, count < 128 ? 1 : 2);
        put(made, tokens, count);
    }
    align(made);
    put(made, markers, sizeof(markers));
}

static void put_sequences(struct made *made)
{
    align(made);
    for (unsigned i = 0; i < SYMBOLS; i++) {
        const uint8_t number[3] = {0, (uint8_t)(i >> 8), (uint8_t)i};
        put(made, number, 3);
    }
}

static void put_tokens(struct made *made)
{
    uint16_t index[256] = {0};
    char letter[2];
    align(made);
    const size_t first = made->size;
    for (unsigned token = 0; token < 256; token++) {
        const char *text = token_text(token, letter);
        index[token] = (uint16_t)(made->size - first);
        put(made, text, strlen(text) + 1);
    }
    align(made);
    put(made, index, sizeof(index));
}

/* The read-only data of a kernel: the tables between other data. */
static struct made *make_tables(const struct layout *layout)
{
    struct made *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    made->align = layout->align;
    make_symbols(layout);
    fill_code(made->bytes, 5000, 7);
    made->size = 5000;
    if (!layout->moved)
        put_offsets(made, layout);
    put_names(made);
    if (!layout->moved && layout->sequences)
        put_sequences(made);
    put_tokens(made);
    if (layout->moved)
        put_offsets(made, layout);
    if (layout->moved && layout->sequences)
        put_sequences(made);
    align(made);
    fill_code(made->bytes + made->size, 3000, 9);
    made->size += 3000;
    return made;
}

static uint8_t *make_kernel(size_t *size, const struct layout *layout)
{
    static uint8_t text[SYMBOLS * 24];
    struct made *made = make_tables(layout);
    fill_code(text, sizeof(text), 3);
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof(text), 0, 0, 0, 0},
        {".rodata", SHT_PROGBITS, SHF_ALLOC, RODATA, made->bytes, made->size, 0, 0, 0, 0}};
    uint8_t *file = make_elf(size, (struct made_head){.type = ET_EXEC, .machine = EM_X86_64}, sections, 2);
    free(made);
    return file;
}

/* Each symbol; of several at one address the first. */
static void check_symbols(const struct symbol_table *table, const char *version)
{
    for (unsigned i = 0; i < SYMBOLS; i++) {
        uint64_t begin = 0, end = UINT64_MAX;
        unsigned first = i;
        while (first > 0 && symbols[first - 1].address == symbols[i].address)
            first--;
        const struct symbol_entry *entry = symbol_table_find(table, symbols[i].address, &begin, &end);
        if (!entry || strcmp(entry->name, symbols[first].name) || entry->begin != symbols[i].address)
            fail_msg("%s: symbol %u: %s is %s", version, i, symbols[first].name, entry ? entry->name : "not there");
    }
}

static void all_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct kernel_image kernel = {0};
        struct error error = {0};
        size_t size;
        uint8_t *file = make_kernel(&size, &layouts[i]);
        if (!kernel_image_parse(&kernel, file, size, "made", &error) || kernel.source != KERNEL_KALLSYMS)
            fail_msg("%s: not found: %s", layouts[i].version, error.name);
        check_symbols(&kernel.symbols, layouts[i].version);
        kernel_image_close(&kernel);
        free(file);
    }
}

/* Tables that contradict each other yield no names. */
static void disagreement(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct elf_file elf;
        struct kallsyms_tables tables;
        struct symbol_table table = {0};
        size_t size;
        uint8_t *file = make_kernel(&size, &layouts[i]);
        assert_true(elf_open(&elf, file, size));
        assert_true(kallsyms_find(&tables, file, size));
        file[tables.markers + 4] ^= 1; /* the offset of the 256th name */
        assert_false(kallsyms_read(&table, &elf));
        file[tables.markers + 4] ^= 1;
        file[tables.names - layouts[i].align] ^= 1; /* the number of names */
        assert_false(kallsyms_read(&table, &elf));
        file[tables.names - layouts[i].align] ^= 1;
        assert_true(kallsyms_read(&table, &elf));
        symbol_table_free(&table);
        elf_close(&elf);
        free(file);
    }
}

/* Any damage yields an error or no symbols, and no read beyond the bytes (the sanitizer checks that). */
static void damaged(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned round = 0; round < 300; round++) {
        struct kernel_image kernel = {0};
        struct error error = {0};
        size_t size;
        uint8_t *file = make_kernel(&size, &layouts[round % (sizeof(layouts) / sizeof(layouts[0]))]);
        for (unsigned flips = 0; flips < round % 8; flips++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const size_t at = round % 2 ? (size_t)(random >> 33) % size : (size_t)(random >> 33) % 256;
            file[at] ^= (uint8_t)(random >> 13 | 1);
        }
        const size_t left = round % 3 ? size : (size_t)(random >> 20) % size;
        uint8_t *cut = malloc(left ? left : 1); /* the sanitizer guards the byte after it */
        assert_non_null(cut);
        memcpy(cut, file, left);
        if (!kernel_image_parse(&kernel, cut, left, "made", &error))
            assert_int_equal(error.kind, ERROR_NAMES);
        kernel_image_close(&kernel);
        free(cut);
        free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions),
        cmocka_unit_test(disagreement),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
