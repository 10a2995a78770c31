/* The executable sections of ELF files. */
#include "tests/tools/instructions/sources.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Section headers of both sizes have the same four fields of interest. */
#define EACH_SECTION(Ehdr, Shdr)                                                                                       \
    do {                                                                                                               \
        const Ehdr *header = (const void *)file;                                                                       \
        if (size < sizeof(*header) || header->e_shentsize != sizeof(Shdr) || header->e_shoff > size ||                 \
            (size - header->e_shoff) / sizeof(Shdr) < header->e_shnum)                                                 \
            return false;                                                                                              \
        for (uint32_t i = 0; i < header->e_shnum; i++) {                                                               \
            Shdr s;                                                                                                    \
            memcpy(&s, file + header->e_shoff + i * sizeof(s), sizeof(s));                                             \
            if (s.sh_type == SHT_PROGBITS && s.sh_flags & SHF_EXECINSTR && s.sh_offset <= size &&                      \
                s.sh_size <= size - s.sh_offset)                                                                       \
                section(file + s.sh_offset, s.sh_size);                                                                \
        }                                                                                                              \
    } while (0)

static bool each_of(const uint8_t *file, size_t size, void (*section)(const uint8_t *bytes, size_t size))
{
    const Elf32_Ehdr *either = (const void *)file; /* e_machine has the same offset in both */
    if (size < sizeof(*either) || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_DATA] != ELFDATA2LSB)
        return false;
    if (either->e_machine != EM_X86_64 && either->e_machine != EM_386)
        return false;
    if (file[EI_CLASS] == ELFCLASS64)
        EACH_SECTION(Elf64_Ehdr, Elf64_Shdr);
    else
        EACH_SECTION(Elf32_Ehdr, Elf32_Shdr);
    return true;
}

bool sections_each(const char *path, void (*section)(const uint8_t *bytes, size_t size))
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    const uint8_t *file = regular ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file == MAP_FAILED)
        return false;
    bool done = each_of(file, (size_t)status.st_size, section);
    munmap((void *)(uintptr_t)file, (size_t)status.st_size);
    return done;
}
