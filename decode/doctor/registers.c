#include "decode/doctor/registers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "decode/doctor/tree.h"

bool cpuid_line_parse(struct cpuid_line *line, const char *text)
{
    uint32_t *const r = line->registers;
    if (sscanf(text,
               " 0x%" SCNx32 " 0x%" SCNx32 ": eax=0x%" SCNx32 " ebx=0x%" SCNx32 " ecx=0x%" SCNx32 " edx=0x%" SCNx32,
               &line->leaf, &line->sub_leaf, &r[0], &r[1], &r[2], &r[3]) == 2 + NR_REGISTERS)
        return true;
    line->sub_leaf = 0;
    return sscanf(text, " CPUID %" SCNx32 ": %" SCNx32 "-%" SCNx32 "-%" SCNx32 "-%" SCNx32 " [SL %" SCNx32 "]",
                  &line->leaf, &r[0], &r[1], &r[2], &r[3], &line->sub_leaf) >= 1 + NR_REGISTERS;
}

enum source { SOURCE_NONE, SOURCE_DEVICE, SOURCE_TEXT };

/* Write the path ROOT/dev/cpu/CPU/what, and return the kind of that file. */
static enum source source_of(char *path, size_t size, const char *root, unsigned cpu, const char *what)
{
    char inner[64];
    struct stat status;
    snprintf(inner, sizeof(inner), "/dev/cpu/%u/%s", cpu, what);
    if (!tree_path(path, size, root, inner) || stat(path, &status) != 0)
        return SOURCE_NONE;
    return S_ISCHR(status.st_mode) ? SOURCE_DEVICE : S_ISREG(status.st_mode) ? SOURCE_TEXT : SOURCE_NONE;
}

static bool device_read(const char *path, uint64_t position, void *to, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool good = pread(file, to, size, (off_t)position) == (ssize_t)size;
    close(file);
    return good;
}

/* The first line with the leaf: in a text of several CPUs, that of the first CPU. */
static bool cpuid_of_text(uint32_t *registers, const char *path, uint32_t leaf, uint32_t sub_leaf)
{
    char text[256];
    struct cpuid_line line = {0};
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(text, sizeof(text), file))
        found = cpuid_line_parse(&line, text) && line.leaf == leaf && line.sub_leaf == sub_leaf;
    if (file)
        fclose(file);
    if (found)
        memcpy(registers, line.registers, sizeof(line.registers));
    return file != NULL;
}

#if defined(__x86_64__) || defined(__i386__)

bool registers_here(void)
{
    return true;
}

/* Execute CPUID on this CPU of this machine. */
static bool cpuid_of_here(uint32_t *registers, unsigned cpu, uint32_t leaf, uint32_t sub_leaf)
{
    cpu_set_t before, only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    if (sched_getaffinity(0, sizeof(before), &before) != 0 || sched_setaffinity(0, sizeof(only), &only) != 0)
        return false;
    __cpuid_count(leaf, sub_leaf, registers[REGISTER_EAX], registers[REGISTER_EBX], registers[REGISTER_ECX],
                  registers[REGISTER_EDX]);
    return sched_setaffinity(0, sizeof(before), &before) == 0;
}

#else

bool registers_here(void)
{
    return false;
}

static bool cpuid_of_here(uint32_t *registers, unsigned cpu, uint32_t leaf, uint32_t sub_leaf)
{
    (void)registers, (void)cpu, (void)leaf, (void)sub_leaf;
    return false;
}

#endif

bool registers_cpuid(uint32_t *registers, const char *root, unsigned cpu, uint32_t leaf, uint32_t sub_leaf)
{
    char path[512];
    memset(registers, 0, NR_REGISTERS * sizeof(registers[0]));
    switch (source_of(path, sizeof(path), root, cpu, "cpuid")) {
    case SOURCE_TEXT:
        return cpuid_of_text(registers, path, leaf, sub_leaf);
    case SOURCE_DEVICE: /* the file position is the leaf, with the sub-leaf in the upper half */
        if (device_read(path, (uint64_t)sub_leaf << 32 | leaf, registers, NR_REGISTERS * sizeof(registers[0])))
            return true;
        break;
    case SOURCE_NONE:
        break;
    }
    return !strcmp(root, "/") && cpuid_of_here(registers, cpu, leaf, sub_leaf);
}

static bool msr_of_text(uint64_t *value, const char *path, uint32_t msr)
{
    char text[128];
    uint32_t number;
    uint64_t read;
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(text, sizeof(text), file))
        found = sscanf(text, " 0x%" SCNx32 " 0x%" SCNx64, &number, &read) == 2 && number == msr;
    if (file)
        fclose(file);
    if (found)
        *value = read;
    return found;
}

bool registers_msr(uint64_t *value, const char *root, unsigned cpu, uint32_t msr)
{
    char path[512];
    *value = 0;
    switch (source_of(path, sizeof(path), root, cpu, "msr")) {
    case SOURCE_TEXT:
        return msr_of_text(value, path, msr);
    case SOURCE_DEVICE:
        return device_read(path, msr, value, sizeof(*value));
    case SOURCE_NONE:
        break;
    }
    return false;
}
