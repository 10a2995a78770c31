/* The kernel's file: a bzImage, which contains the packed vmlinux, or a vmlinux. */
#ifndef DECODE_NAMES_KERNEL_KERNEL_IMAGE_H
#define DECODE_NAMES_KERNEL_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/elf_file.h"
#include "decode/names/input_file.h"
#include "decode/names/symbol_table.h"

enum kernel_source { KERNEL_NO_SYMBOLS, KERNEL_SYMTAB, KERNEL_KALLSYMS };

struct kernel_image {
    struct input_file file;
    uint8_t *unpacked; /* of a bzImage */
    size_t loader;     /* of a bzImage: the offset of its protected-mode code, which unpacks the kernel */
    struct elf_file elf;
    struct symbol_table symbols; /* at linked addresses */
    enum kernel_source source;
    bool narrow; /* a 32-bit kernel: its code and symbols are not used */
};

/* false: error says what is wrong with the file. A file without symbols is no error. */
bool kernel_image_open(struct kernel_image *kernel, const char *name, struct error *error);

/* The same for bytes, which must outlive kernel. name is for errors. */
bool kernel_image_parse(struct kernel_image *kernel, const uint8_t *bytes, size_t size, const char *name,
                        struct error *error);
void kernel_image_close(struct kernel_image *kernel);

/* The section of code in the upper half that contains a linked address; NULL: none. */
const struct elf_section *kernel_image_code(const struct kernel_image *kernel, uint64_t address);

/* The range of linked addresses from the first to one past the last byte of code. */
void kernel_image_extent(const struct kernel_image *kernel, uint64_t *begin, uint64_t *end);

/* The code from a linked address on. Returns how many bytes there are, at most a page; 0: there is no code. */
size_t kernel_image_page(const struct kernel_image *kernel, uint64_t address, const uint8_t **bytes);

#endif
