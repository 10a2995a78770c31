/* Facts about firmware, memory, and kernels to boot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/guest/linux.h"
#include "decode/doctor/facts_parts.h"
#include "decode/doctor/tree.h"

#define EFIVARS "/sys/firmware/efi/efivars/"
#define SECURE_BOOT EFIVARS "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
/* Set by mokutil --disable-validation: shim and GRUB then do not verify signatures. */
#define MOK_SB_STATE EFIVARS "MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23"
#define KERNEL_MAX_BYTES (256u << 20)

/* A variable of one byte, after the four bytes of attributes of a file in efivarfs. */
static enum answer variable(const char *root, const char *path)
{
    unsigned char bytes[5];
    FILE *file = tree_open(root, path);
    if (!file)
        return ANSWER_UNKNOWN;
    const size_t length = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    if (length < sizeof(bytes))
        return ANSWER_UNKNOWN;
    return bytes[4] ? ANSWER_YES : ANSWER_NO;
}

static enum answer secure_boot(const char *root)
{
    return variable(root, MOK_SB_STATE) == ANSWER_YES ? ANSWER_NO : variable(root, SECURE_BOOT);
}

static uint64_t memory_bytes(const char *root)
{
    char line[128];
    unsigned long long kib, bytes = 0;
    FILE *file = tree_open(root, "/proc/meminfo");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemTotal: %llu kB", &kib) == 1)
            bytes = kib << 10;
    if (file)
        fclose(file);
    return bytes;
}

static void read_kernel(struct facts_kernel *kernel, const char *root, const char *name)
{
    char path[96];
    struct linux_kernel checked;
    snprintf(kernel->name, sizeof(kernel->name), "%s", name);
    snprintf(path, sizeof(path), "/boot/%s", name);
    FILE *file = tree_open(root, path);
    uint8_t *bytes = file ? malloc(KERNEL_MAX_BYTES) : NULL;
    kernel->unread = !bytes;
    if (bytes) {
        const size_t size = fread(bytes, 1, KERNEL_MAX_BYTES, file);
        const enum linux_error error = linux_check(&checked, bytes, size);
        kernel->error = error == LINUX_OK ? NULL : linux_error_text(error);
    }
    free(bytes);
    if (file)
        fclose(file);
}

void facts_read_system(struct facts *facts, const char *root)
{
    char names[FACTS_MAX_KERNELS][TREE_NAME_MAX];
    facts->efi = tree_exists(root, "/sys/firmware/efi");
    facts->secure_boot = facts->efi ? secure_boot(root) : ANSWER_NO;
    facts->dmar = tree_exists(root, "/sys/firmware/acpi/tables/DMAR");
    facts->nr_iommus = (unsigned)tree_names(names, FACTS_MAX_KERNELS, root, "/sys/class/iommu", "dmar");
    facts->memory_bytes = memory_bytes(root);
    facts_read_boot(&facts->boot, facts->efi, root);
    facts->boot_seen = tree_names(names, 1, root, "/boot", "") > 0;
    facts->nr_kernels = tree_names(names, FACTS_MAX_KERNELS, root, "/boot", "vmlinuz-");
    for (size_t i = 0; i < facts->nr_kernels; i++)
        read_kernel(&facts->kernels[i], root, names[i]);
}
