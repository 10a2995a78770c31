/* The segments of ELF files, 32- and 64-bit, little-endian. System V ABI, "Program Header". */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decode/foreign/foreign_image.h"
#include "decode/foreign/foreign_spec.h"

struct segment {
    uint32_t type;
    uint64_t gva, size, offset;
};

static bool is_elf(const struct foreign_file *file)
{
    return file->size >= sizeof(Elf32_Ehdr) && !memcmp(file->bytes, ELFMAG, SELFMAG) &&
           file->bytes[EI_DATA] == ELFDATA2LSB &&
           (file->bytes[EI_CLASS] == ELFCLASS32 ||
            (file->bytes[EI_CLASS] == ELFCLASS64 && file->size >= sizeof(Elf64_Ehdr)));
}

/* The offset of the program headers, how many there are, and the size of each. */
static uint64_t find_headers(const struct foreign_file *file, uint32_t *count, uint32_t *size)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;
    if (file->bytes[EI_CLASS] == ELFCLASS64) {
        memcpy(&wide, file->bytes, sizeof(wide));
        *count = wide.e_phnum;
        *size = wide.e_phentsize;
        return wide.e_phoff;
    }
    memcpy(&narrow, file->bytes, sizeof(narrow));
    *count = narrow.e_phnum;
    *size = narrow.e_phentsize;
    return narrow.e_phoff;
}

static bool read_segment(struct segment *segment, const struct foreign_file *file, uint64_t at)
{
    Elf64_Phdr wide;
    Elf32_Phdr narrow;
    const bool is_wide = file->bytes[EI_CLASS] == ELFCLASS64;
    const size_t size = is_wide ? sizeof(wide) : sizeof(narrow);
    if (at > file->size || file->size - at < size)
        return false;
    if (is_wide) {
        memcpy(&wide, file->bytes + at, sizeof(wide));
        *segment = (struct segment){wide.p_type, wide.p_vaddr, wide.p_filesz, wide.p_offset};
    } else {
        memcpy(&narrow, file->bytes + at, sizeof(narrow));
        *segment = (struct segment){narrow.p_type, narrow.p_vaddr, narrow.p_filesz, narrow.p_offset};
    }
    return true;
}

/* The linked address of the lowest page. */
static bool find_base(uint64_t *base, const struct foreign_file *file, uint64_t at, uint32_t count, uint32_t size)
{
    struct segment segment;
    *base = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_segment(&segment, file, at + (uint64_t)i * size))
            return false;
        if (segment.type == PT_LOAD && segment.gva < *base)
            *base = segment.gva;
    }
    if (*base == UINT64_MAX)
        return false;
    *base -= *base % RECORD_PAGE_SIZE;
    return true;
}

static bool add_segments(struct foreign_image *image, const struct foreign_spec *spec, const char *name,
                         struct error *error)
{
    const struct foreign_file *file = &image->files[image->nr_files - 1];
    uint32_t count = 0, size = 0;
    uint64_t base;
    const uint64_t at = is_elf(file) ? find_headers(file, &count, &size) : 0;
    if (count == 0 || !find_base(&base, file, at, count, size))
        return error_set(error, ERROR_NO_ELF, 0, "%s", name);
    for (uint32_t i = 0; i < count; i++) {
        struct segment segment;
        if (!read_segment(&segment, file, at + (uint64_t)i * size) || segment.type != PT_LOAD)
            continue;
        const struct foreign_piece piece = {.gva = spec->placed ? segment.gva - base + spec->gva : segment.gva,
                                            .size = segment.size,
                                            .offset = segment.offset};
        if (!foreign_image_add_piece(image, piece, name, error))
            return false;
    }
    return true;
}

bool foreign_elf_add(struct foreign_image *image, const char *text, struct error *error)
{
    struct foreign_spec spec;
    if (!foreign_spec_read(&spec, text))
        return error_set(error, ERROR_IMAGE_SPEC, 0, "%s", text);
    char *name = foreign_spec_name(&spec, text, error);
    const bool good = name && foreign_image_add_file(image, name, error) && add_segments(image, &spec, name, error);
    free(name);
    return good;
}
