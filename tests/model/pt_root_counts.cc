/*
 * How often root executed each instruction, for tests/rig/profile.sh: a file beside the truth file, lines of address
 * and count. Compiled in with PTM_ROOT_COUNTS only, because the check at each instruction slows the emulator.
 */
#include "pt_internal.h"

#ifdef PTM_ROOT_COUNTS

static const uint64_t IMAGE_MAX_BYTES = 1 << 20; /* the image is linked at a multiple of this */
static uint64_t counts[IMAGE_MAX_BYTES];
static uint64_t image;

void ptm_root_instruction(uint64_t rip)
{
    image = rip & ~(IMAGE_MAX_BYTES - 1);
    counts[rip & (IMAGE_MAX_BYTES - 1)]++;
}

void ptm_root_counts_write(const char *truth_path)
{
    char path[BX_PATHNAME_LEN];
    snprintf(path, sizeof(path), "%s.root", truth_path);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "ptmodel: cannot write %s: %s\n", path, strerror(errno));
        return;
    }
    for (uint64_t n = 0; n < IMAGE_MAX_BYTES; n++)
        if (counts[n] != 0)
            fprintf(file, "%llx %llu\n", (unsigned long long)(image + n), (unsigned long long)counts[n]);
    fclose(file);
}

#endif
