#include "decode/names/kernel/kernel_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decode/names/bytes.h"
#include "decode/names/elf_symbols.h"
#include "decode/names/kernel/kallsyms.h"
#include "decode/names/unpack.h"
#include "serial/wire/record.h"

/* Documentation/arch/x86/boot.rst of Linux, "The Real-Mode Kernel Header": fields of the setup header. */
#define SETUP_SECTORS 0x1f1u
#define BOOT_FLAG 0x1feu
#define HEADER_MAGIC 0x202u
#define PROTOCOL 0x206u
#define PAYLOAD_OFFSET 0x248u
#define PAYLOAD_LENGTH 0x24cu
#define HEADER_END 0x250u
#define PROTOCOL_WITH_PAYLOAD 0x208u
#define SECTOR 512u
#define DEFAULT_SECTORS 4u

#define LARGEST_KERNEL (1u << 30)

static bool is_bzimage(const uint8_t *bytes, size_t size)
{
    return size >= HEADER_END && bytes[BOOT_FLAG] == 0x55 && bytes[BOOT_FLAG + 1] == 0xaa &&
           !memcmp(bytes + HEADER_MAGIC, "HdrS", 4);
}

/* The vmlinux of a bzImage. The payload's last four bytes are the unpacked size. */
static uint8_t *unpack_payload(size_t *unpacked, const uint8_t *bytes, size_t size, size_t loader, const char *name,
                               struct error *error)
{
    const uint64_t begin = (uint64_t)loader + read32(bytes + PAYLOAD_OFFSET);
    const uint32_t length = read32(bytes + PAYLOAD_LENGTH);
    const uint16_t protocol = read16(bytes + PROTOCOL);
    if (protocol < PROTOCOL_WITH_PAYLOAD || length <= sizeof(uint32_t) || begin > size || length > size - begin) {
        error_set(error, ERROR_NAMES, 0, "%s: a bzImage that is truncated or has no payload", name);
        return NULL;
    }
    const uint32_t whole = read32(bytes + begin + length - sizeof(uint32_t));
    if (whole > LARGEST_KERNEL || whole == 0) {
        error_set(error, ERROR_NAMES, 0, "%s: a bzImage with an impossible size of its payload", name);
        return NULL;
    }
    return unpack(unpacked, bytes + begin, length, whole, whole, name, error);
}

static void read_symbols(struct kernel_image *kernel)
{
    if (elf_symbols_read(&kernel->symbols, &kernel->elf, elf_section_of_type(&kernel->elf, SHT_SYMTAB), 0) > 0)
        kernel->source = KERNEL_SYMTAB;
    else if (kallsyms_read(&kernel->symbols, &kernel->elf))
        kernel->source = KERNEL_KALLSYMS;
    symbol_table_finish(&kernel->symbols);
}

bool kernel_image_parse(struct kernel_image *kernel, const uint8_t *bytes, size_t size, const char *name,
                        struct error *error)
{
    uint64_t begin, end;
    if (is_bzimage(bytes, size)) {
        const size_t sectors = bytes[SETUP_SECTORS] ? bytes[SETUP_SECTORS] : DEFAULT_SECTORS;
        kernel->loader = (sectors + 1) * SECTOR;
        kernel->unpacked = unpack_payload(&size, bytes, size, kernel->loader, name, error);
        if (!kernel->unpacked)
            return false;
        bytes = kernel->unpacked;
    }
    if (!elf_open(&kernel->elf, bytes, size))
        return error_set(error, ERROR_NAMES, 0, "%s: not a kernel: neither a bzImage nor an ELF file (vmlinux)", name);
    kernel->narrow = kernel->elf.machine == EM_386 && kernel->elf.type == ET_EXEC;
    if (kernel->narrow)
        return true;
    kernel_image_extent(kernel, &begin, &end);
    if (!kernel->elf.wide || kernel->elf.machine != EM_X86_64 || begin >= end || !(begin >> 63))
        return error_set(error, ERROR_NAMES, 0, "%s: not an x86-64 kernel: no code at a kernel's addresses", name);
    read_symbols(kernel);
    return !kernel->symbols.no_memory || error_set(error, ERROR_MEMORY, 0, "%s", name);
}

bool kernel_image_open(struct kernel_image *kernel, const char *name, struct error *error)
{
    *kernel = (struct kernel_image){0};
    if (input_file_open(&kernel->file, name, error) &&
        kernel_image_parse(kernel, kernel->file.bytes, kernel->file.size, name, error))
        return true;
    kernel_image_close(kernel);
    return false;
}

void kernel_image_close(struct kernel_image *kernel)
{
    elf_close(&kernel->elf);
    symbol_table_free(&kernel->symbols);
    free(kernel->unpacked);
    input_file_close(&kernel->file);
    *kernel = (struct kernel_image){0};
}

static bool is_code(const struct elf_section *section)
{
    const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
    return (section->flags & wanted) == wanted && section->bytes && section->address >> 63;
}

const struct elf_section *kernel_image_code(const struct kernel_image *kernel, uint64_t address)
{
    for (size_t i = 0; i < kernel->elf.nr_sections; i++) {
        const struct elf_section *section = &kernel->elf.sections[i];
        if (is_code(section) && address - section->address < section->size)
            return section;
    }
    return NULL;
}

void kernel_image_extent(const struct kernel_image *kernel, uint64_t *begin, uint64_t *end)
{
    *begin = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < kernel->elf.nr_sections; i++) {
        const struct elf_section *section = &kernel->elf.sections[i];
        if (!is_code(section) || section->address + section->size < section->address)
            continue;
        *begin = section->address < *begin ? section->address : *begin;
        *end = section->address + section->size > *end ? section->address + section->size : *end;
    }
}

size_t kernel_image_page(const struct kernel_image *kernel, uint64_t address, const uint8_t **bytes)
{
    const struct elf_section *section = kernel_image_code(kernel, address);
    if (!section)
        return 0;
    const uint64_t at = address - section->address, left = section->size - at;
    *bytes = section->bytes + at;
    return left < RECORD_PAGE_SIZE ? (size_t)left : RECORD_PAGE_SIZE;
}
