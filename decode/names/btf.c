#include "decode/names/btf.h"

#include <stdlib.h>
#include <string.h>

#include "decode/names/bytes.h"

/* linux/btf.h, which not every machine has. All numbers are little-endian, of 32 bits unless noted. */
#define MAGIC 0xeb9fu /* 16 bits, then version and flags of 8 bits, and */
enum { HEAD_LENGTH = 4, HEAD_TYPES = 8, HEAD_TYPES_SIZE = 12, HEAD_NAMES = 16, HEAD_NAMES_SIZE = 20, HEAD_SIZE = 24 };
/* A type: its name, info (kind in bits 28:24, vlen in 15:0), a size or another type; then data of its kind. */
enum { TYPE_NAME = 0, TYPE_INFO = 4, TYPE_SIZE = 12 };
enum { KIND_INT = 1, KIND_ARRAY = 3, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FUNC_PROTO = 13, KIND_VAR, KIND_DATASEC };
enum { KIND_DECL_TAG = 17, KIND_ENUM64 = 19, NR_KINDS };
#define BITFIELDS 0x80000000u /* of a structure's info: bits 31:24 of its members' offsets are a size */
#define MOST_DEPTH 16u        /* nested anonymous structures */
#define MOST_MEMBERS 100000u

/* The size of the data after a type, in bytes: fixed, plus each for each of its vlen members. */
static const struct {
    uint8_t fixed, each;
} sizes[NR_KINDS] = {
    [KIND_INT] = {4, 0},     [KIND_ARRAY] = {12, 0},    [KIND_STRUCT] = {0, 12},  [KIND_UNION] = {0, 12},
    [KIND_ENUM] = {0, 8},    [KIND_VAR] = {4, 0},       [KIND_DATASEC] = {0, 12}, [KIND_DECL_TAG] = {4, 0},
    [KIND_ENUM64] = {0, 12}, [KIND_FUNC_PROTO] = {0, 8}};

static uint32_t kind_of(const uint8_t *type)
{
    return read32(type + TYPE_INFO) >> 24 & 0x1f;
}

static uint32_t count_of(const uint8_t *type)
{
    return read32(type + TYPE_INFO) & 0xffff;
}

static const char *name_at(const struct btf *btf, uint32_t offset)
{
    return offset < btf->names_size ? btf->names + offset : "";
}

/* The offset of the type after the one at `at`. 0: that one has an unknown kind, or does not end within the bytes. */
static size_t next_type(const struct btf *btf, size_t at)
{
    if (btf->types_size - at < TYPE_SIZE)
        return 0;
    const uint8_t *type = btf->types + at;
    const uint32_t kind = kind_of(type);
    const size_t size = kind < NR_KINDS ? TYPE_SIZE + sizes[kind].fixed + (size_t)sizes[kind].each * count_of(type) : 0;
    return kind != 0 && size != 0 && size <= btf->types_size - at ? at + size : 0;
}

static bool find_types(struct btf *btf)
{
    btf->offsets = malloc((btf->types_size / TYPE_SIZE + 1) * sizeof(*btf->offsets));
    btf->nr_types = 1;
    for (size_t at = 0, next; btf->offsets && at < btf->types_size; at = next) {
        next = next_type(btf, at);
        if (next == 0)
            return false;
        btf->offsets[btf->nr_types++] = (uint32_t)at;
    }
    return btf->offsets;
}

static bool is_within(uint64_t offset, uint64_t length, size_t size)
{
    return offset <= size && length <= size - offset;
}

bool btf_open(struct btf *btf, const uint8_t *bytes, size_t size)
{
    *btf = (struct btf){0};
    if (size < HEAD_SIZE || (read32(bytes) & 0xffff) != MAGIC)
        return false;
    const uint64_t length = read32(bytes + HEAD_LENGTH);
    const uint64_t types = length + read32(bytes + HEAD_TYPES), names = length + read32(bytes + HEAD_NAMES);
    btf->types_size = read32(bytes + HEAD_TYPES_SIZE);
    btf->names_size = read32(bytes + HEAD_NAMES_SIZE);
    if (length < HEAD_SIZE || !is_within(types, btf->types_size, size) || !is_within(names, btf->names_size, size) ||
        btf->names_size == 0 || bytes[names + btf->names_size - 1] != 0)
        return false;
    btf->types = bytes + types;
    btf->names = (const char *)bytes + names;
    if (find_types(btf))
        return true;
    btf_close(btf);
    return false;
}

void btf_close(struct btf *btf)
{
    free(btf->offsets);
    *btf = (struct btf){0};
}

static const uint8_t *type_at(const struct btf *btf, uint32_t number)
{
    return number > 0 && number < btf->nr_types ? btf->types + btf->offsets[number] : NULL;
}

static bool is_structure(const uint8_t *type)
{
    return type && (kind_of(type) == KIND_STRUCT || kind_of(type) == KIND_UNION);
}

/* The wanted member, and how many more members are searched: damaged types may contain themselves. */
struct wanted {
    const struct btf *btf;
    const char *name;
    uint32_t left;
};

/* A member is three numbers: its name, its type, its offset in bits. */
static bool find_member(uint64_t *bits, struct wanted *wanted, const uint8_t *structure, unsigned depth)
{
    const uint32_t mask = read32(structure + TYPE_INFO) & BITFIELDS ? 0xffffff : UINT32_MAX;
    for (uint32_t i = 0; i < count_of(structure) && wanted->left > 0; i++) {
        wanted->left--;
        const uint8_t *member = structure + TYPE_SIZE + 12 * (size_t)i;
        const char *name = name_at(wanted->btf, read32(member));
        const uint8_t *type = type_at(wanted->btf, read32(member + 4));
        *bits = 0;
        if (!strcmp(name, wanted->name) ||
            (!*name && is_structure(type) && depth < MOST_DEPTH && find_member(bits, wanted, type, depth + 1))) {
            *bits += read32(member + 8) & mask;
            return true;
        }
    }
    return false;
}

bool btf_member(uint64_t *offset, const struct btf *btf, const char *structure, const char *member)
{
    for (uint32_t i = 1; i < btf->nr_types; i++) {
        const uint8_t *type = type_at(btf, i);
        struct wanted wanted = {btf, member, MOST_MEMBERS};
        uint64_t bits;
        if (kind_of(type) != KIND_STRUCT || strcmp(name_at(btf, read32(type + TYPE_NAME)), structure) != 0 ||
            !find_member(&bits, &wanted, type, 0) || bits % 8 != 0)
            continue;
        *offset = bits / 8;
        return true;
    }
    return false;
}

/* A variable of a section is three numbers: its type, which has its name; its offset; its size. */
bool btf_variable(uint64_t *offset, const struct btf *btf, const char *section, const char *variable)
{
    for (uint32_t i = 1; i < btf->nr_types; i++) {
        const uint8_t *type = type_at(btf, i);
        if (kind_of(type) != KIND_DATASEC || strcmp(name_at(btf, read32(type + TYPE_NAME)), section) != 0)
            continue;
        for (uint32_t j = 0; j < count_of(type); j++) {
            const uint8_t *item = type + TYPE_SIZE + 12 * (size_t)j, *of = type_at(btf, read32(item));
            if (!of || kind_of(of) != KIND_VAR || strcmp(name_at(btf, read32(of + TYPE_NAME)), variable) != 0)
                continue;
            *offset = read32(item + 4);
            return true;
        }
    }
    return false;
}
