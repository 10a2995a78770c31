#include "decode/names/debug_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/names/build_id.h"
#include "decode/names/elf_symbols.h"
#include "decode/names/input_file.h"

#define USUAL "/usr/lib/debug"

/* What identifies the debug file. */
struct wanted {
    const struct elf_file *file;
    const uint8_t *id;
    size_t id_size;
    const char *link; /* the name in .gnu_debuglink; NULL: it has none */
    uint32_t crc;     /* of the file of that name */
};

/* The CRC-32 of zlib, as in .gnu_debuglink. */
static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    uint32_t table[256], crc = ~0u;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (unsigned bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

static bool is_wanted(const struct wanted *wanted, const struct elf_file *debug)
{
    size_t size = 0;
    const uint8_t *id = elf_build_id(debug, &size);
    if (wanted->id && id)
        return size == wanted->id_size && !memcmp(id, wanted->id, size);
    return wanted->link && crc32(debug->bytes, debug->size) == wanted->crc;
}

static bool read_from(struct symbol_table *symbols, const struct wanted *wanted, const char *path)
{
    struct input_file input;
    struct elf_file debug;
    size_t count = 0;
    if (!input_file_open(&input, path, NULL))
        return false;
    if (elf_open(&debug, input.bytes, input.size)) {
        if (is_wanted(wanted, &debug))
            count = elf_symbols_read(symbols, &debug, elf_section_of_type(&debug, SHT_SYMTAB), 0);
        elf_close(&debug);
    }
    input_file_close(&input);
    return count > 0;
}

static bool read_by_id(struct symbol_table *symbols, const struct wanted *wanted, const char *directory,
                       const char *between)
{
    char place[PATH_MAX];
    const int length = snprintf(place, sizeof(place), "%s%s", directory, between);
    char *path = wanted->id && length > 0 && (size_t)length < sizeof(place)
                     ? build_id_path(place, wanted->id, wanted->id_size, ".debug")
                     : NULL;
    const bool good = path && read_from(symbols, wanted, path);
    free(path);
    return good;
}

/* Below a root: in this directory. */
static bool read_below(struct symbol_table *symbols, const struct wanted *wanted, const char *root, const char *path,
                       const char *between)
{
    const char *slash = strrchr(path, '/');
    char text[PATH_MAX];
    const int length = snprintf(text, sizeof(text), "%s%.*s%s%s", root, slash ? (int)(slash - path) : 1,
                                slash ? path : ".", between, wanted->link);
    return length > 0 && (size_t)length < sizeof(text) && strcmp(text, path) && read_from(symbols, wanted, text);
}

/* The name and the CRC of the debug file in .gnu_debuglink, if there is any. */
static void take_link(struct wanted *wanted)
{
    const struct elf_section *link = elf_section_named(wanted->file, ".gnu_debuglink");
    if (!link || !link->bytes || link->size < 8 || !memchr(link->bytes, '\0', link->size - 4) ||
        strchr((const char *)link->bytes, '/'))
        return;
    wanted->link = (const char *)link->bytes;
    memcpy(&wanted->crc, link->bytes + link->size - 4, sizeof(wanted->crc));
}

/* In the file's directory, in .debug there, and in the same directory below the places and below /usr/lib/debug. */
static bool read_by_link(struct symbol_table *symbols, const struct wanted *wanted, const char *path,
                         const struct debug_places *places)
{
    if (!wanted->link)
        return false;
    bool good = read_below(symbols, wanted, "", path, "/") || read_below(symbols, wanted, "", path, "/.debug/");
    for (size_t i = 0; places && i < places->nr_paths && !good; i++)
        good = read_below(symbols, wanted, places->paths[i], path, "/");
    return good || read_below(symbols, wanted, USUAL, path, "/");
}

static bool read_fetched(struct symbol_table *symbols, const struct wanted *wanted, const char *name,
                         const struct debug_places *places)
{
    char *path = wanted->id && places && places->fetch ? places->fetch(wanted->id, wanted->id_size, name) : NULL;
    const bool good = path && read_from(symbols, wanted, path);
    free(path);
    return good;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool debug_file_read(struct symbol_table *symbols, const struct elf_file *file, const char *path,
                     const struct debug_places *places)
{
    struct wanted wanted = {.file = file};
    wanted.id = elf_build_id(file, &wanted.id_size);
    take_link(&wanted);
    for (size_t i = 0; places && i < places->nr_paths; i++)
        if (is_file(places->paths[i]) ? read_from(symbols, &wanted, places->paths[i])
                                      : read_by_id(symbols, &wanted, places->paths[i], "") ||
                                            read_by_id(symbols, &wanted, places->paths[i], "/debug"))
            return true;
    return read_by_id(symbols, &wanted, USUAL, "") || read_by_link(symbols, &wanted, path, places) ||
           read_fetched(symbols, &wanted, path, places);
}
