/*
 * A bzImage of an x86-64 kernel that is unpacked already. This program does all that the kernel's decompressor would
 * do: it puts the segments at their addresses, and relocates every address in them.
 *
 * usage: pack START VMLINUX MOVED OUTPUT
 *
 * START is start.S, linked; VMLINUX what a bzImage has packed: an ELF file with the table of its relocations after it
 * (Linux, arch/x86/tools/relocs.c, emit_relocs); MOVED how far its virtual addresses move, in bytes, a multiple of 2
 * MiB.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_AT 0x200000u              /* start.S: from its own beginning */
#define HEADER 1024u                     /* of the file, before start.S's code */
#define KERNEL_MAP 0xffffffff80000000ull /* __START_KERNEL_map: where physical address 0 is linked */
#define ALIGNMENT 0x200000u
#define FARTHEST (1u << 30) /* KERNEL_IMAGE_SIZE */

/* Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header" */
#define SYSSIZE 0x1f4u
#define LOADFLAGS 0x211u
#define KASLR_FLAG 0x02u
#define INIT_SIZE 0x260u

struct bytes {
    uint8_t *at;
    size_t size;
};

static struct bytes start, vmlinux;

/* The kernel's image in memory. */
static struct memory {
    uint8_t *at;
    uint64_t first, filled,
        end; /* physical addresses: of its beginning, after the last byte that is not 0, and after all */
} memory;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "pack: %s\n", what);
    exit(1);
}

static struct bytes read_file(const char *name)
{
    struct bytes bytes = {0};
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || ftell(file) <= 0)
        fail("a file cannot be read, or is empty");
    bytes.size = (size_t)ftell(file);
    bytes.at = malloc(bytes.size);
    rewind(file);
    if (!bytes.at || fread(bytes.at, 1, bytes.size, file) != bytes.size)
        fail("a file cannot be read");
    fclose(file);
    return bytes;
}

static const Elf64_Phdr *segment(size_t index)
{
    Elf64_Ehdr head;
    memcpy(&head, vmlinux.at, sizeof(head));
    return index < head.e_phnum ? (const Elf64_Phdr *)(const void *)(vmlinux.at + head.e_phoff) + index : NULL;
}

static void check_elf(void)
{
    Elf64_Ehdr head;
    if (vmlinux.size < sizeof(head) || memcmp(vmlinux.at, ELFMAG, SELFMAG) != 0)
        fail("what is packed in the kernel is no ELF file");
    memcpy(&head, vmlinux.at, sizeof(head));
    if (head.e_machine != EM_X86_64 || head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff % 8 ||
        head.e_phoff > vmlinux.size || head.e_phnum > (vmlinux.size - head.e_phoff) / sizeof(Elf64_Phdr))
        fail("what is packed in the kernel is no x86-64 kernel");
    memory.first = head.e_entry;
}

/* The segments, as the kernel's parse_elf places them. */
static void fill_memory(void)
{
    const Elf64_Phdr *part;
    for (size_t i = 0; (part = segment(i)); i++)
        if (part->p_type == PT_LOAD) {
            if (part->p_paddr < memory.first || part->p_memsz > FARTHEST || part->p_paddr > FARTHEST ||
                part->p_filesz > part->p_memsz || part->p_offset > vmlinux.size ||
                part->p_filesz > vmlinux.size - part->p_offset)
                fail("a segment of the kernel is nowhere");
            memory.end = part->p_paddr + part->p_memsz > memory.end ? part->p_paddr + part->p_memsz : memory.end;
        }
    memory.at = calloc(1, memory.end - memory.first);
    if (!memory.at)
        fail("no memory");
    for (size_t i = 0; (part = segment(i)); i++)
        if (part->p_type == PT_LOAD)
            memcpy(memory.at + (part->p_paddr - memory.first), vmlinux.at + part->p_offset, part->p_filesz);
    memory.filled = memory.end;
    while (memory.filled > memory.first && !memory.at[memory.filled - memory.first - 1])
        memory.filled--;
}

/* One table of relocations, from its last entry before the file's offset end back to the 0 before its first; that is
 * where the next one ends. */
static size_t relocate(size_t end, uint64_t moved, unsigned size)
{
    for (;; end -= sizeof(int32_t)) {
        int32_t entry;
        uint64_t value = 0;
        if (end < sizeof(entry))
            fail("the kernel has no whole table of relocations");
        memcpy(&entry, vmlinux.at + end - sizeof(entry), sizeof(entry));
        if (entry == 0)
            return end - sizeof(entry);
        const uint64_t at = (uint64_t)(int64_t)entry - KERNEL_MAP - memory.first;
        if (at > memory.end - memory.first - size)
            fail("a relocation is outside of the kernel");
        memcpy(&value, memory.at + at, size);
        value += moved;
        memcpy(memory.at + at, &value, size);
    }
}

/* Absolute addresses of 32 bits; those that the per-CPU area's place is subtracted from; and of 64 bits. */
static void move(uint64_t moved)
{
    if (moved == 0)
        return;
    relocate(relocate(relocate(vmlinux.size, moved, 4), -moved, 4), moved, 8);
    start.at[LOADFLAGS] |= KASLR_FLAG;
}

static void put32(size_t at, uint64_t value)
{
    const uint32_t bytes = (uint32_t)value;
    memcpy(start.at + at, &bytes, sizeof(bytes));
}

static void write_image(const char *name)
{
    static const uint8_t zeros[KERNEL_AT];
    const size_t filled = memory.filled - memory.first, gap = KERNEL_AT - (start.size - HEADER);
    FILE *file = fopen(name, "wb");
    put32(SYSSIZE, (KERNEL_AT + filled + 15) / 16);
    put32(INIT_SIZE, KERNEL_AT + (memory.end - memory.first));
    if (!file || fwrite(start.at, 1, start.size, file) != start.size || fwrite(zeros, 1, gap, file) != gap ||
        fwrite(memory.at, 1, filled, file) != filled || fclose(file) != 0)
        fail("the image cannot be written");
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const uint64_t moved = argc == 5 ? strtoull(argv[3], &end, 0) : 1;
    if (argc != 5 || *end || moved % ALIGNMENT || moved >= FARTHEST) {
        fprintf(stderr, "usage: pack START VMLINUX MOVED OUTPUT\n");
        return 2;
    }
    start = read_file(argv[1]);
    vmlinux = read_file(argv[2]);
    if (start.size < HEADER || start.size > HEADER + KERNEL_AT)
        fail("start.S does not fit before the kernel");
    check_elf();
    fill_memory();
    move(moved);
    write_image(argv[4]);
    return 0;
}
