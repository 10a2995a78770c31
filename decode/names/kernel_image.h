/* The kernel's file: a bzImage, from which the kernel proper is unpacked, or a vmlinux. */
#ifndef DECODE_NAMES_KERNEL_IMAGE_H
#define DECODE_NAMES_KERNEL_IMAGE_H

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
    size_t loader;     /* of a bzImage: where the code begins in it that unpacks the kernel; it has no symbols */
    struct elf_file elf;
    struct symbol_table symbols; /* at the addresses that it was linked for */
    enum kernel_source source;
};

/* false: error says what is wrong with the file. That it has no symbols is no error. */
bool kernel_image_open(struct kernel_image *kernel, const char *name, struct error *error);

/* The same of bytes, which stay where they are. name is for errors. */
bool kernel_image_parse(struct kernel_image *kernel, const uint8_t *bytes, size_t size, const char *name,
                        struct error *error);
void kernel_image_close(struct kernel_image *kernel);

/* A section that is executed where it was linked for, that has the address; NULL: none. */
const struct elf_section *kernel_image_code(const struct kernel_image *kernel, uint64_t address);

/* From its first byte of code up to behind its last one. */
void kernel_image_extent(const struct kernel_image *kernel, uint64_t *begin, uint64_t *end);

/* A page of its code. Returns how many bytes of it the image has, 0 where there is no code. */
size_t kernel_image_page(const struct kernel_image *kernel, uint64_t address, const uint8_t **bytes);

#endif
