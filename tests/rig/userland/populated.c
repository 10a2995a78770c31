/*
 * Code that is mapped without a page fault. `populated` runs functions of two libraries; `populated all` has the kernel
 * map everything at once before it does (mlockall, as systemd does on the way down). The first time is for the memory
 * to be executed by another program before.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

#define ROUNDS 20000

static int compare(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(int));
}

/* Functions that no program needs for starting. */
static unsigned work_libc(void)
{
    static int numbers[256];
    static char text[64];
    static wchar_t wide[64];
    unsigned sum = 0;
    for (int i = 0; i < 256; i++)
        numbers[i] = (i * 167 + 13) % 256;
    qsort(numbers, 256, sizeof(int), compare);
    snprintf(text, sizeof(text), "%d-%s-%x", numbers[3], "populated", (unsigned)numbers[9]);
    sum += fnmatch("*-pop[a-u]*d-?", text, 0) == 0;
    sum += (unsigned)strtod("17.25", NULL) + (unsigned)mbstowcs(wide, text, 64) + (unsigned)wcslen(wide);
    return sum + (bsearch(&numbers[7], numbers, 256, sizeof(int), compare) != NULL);
}

int main(int argc, char **argv)
{
    const int all = argc > 1 && !strcmp(argv[1], "all");
    volatile unsigned count = 0;
    if (all && mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        perror("mlockall");
    unsigned sum = work_libc();
    for (unsigned i = 0; i < ROUNDS; i++)
        count += i % 3;
    for (unsigned i = 0; i < ROUNDS; i++)
        count += (unsigned)cbrt(i) + (unsigned)lgamma(1 + i % 9);
    printf("userland: populated%s, %u %u\n", all ? " all" : "", sum, count);
    return 0;
}
