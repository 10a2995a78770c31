/* Kind: shell, init */
#include "base/random.h"

#include <stdbool.h>

#include "base/msr.h"

#define CPUID_1_ECX_RDRAND (1u << 30)
#define RDRAND_TRIES 10 /* SDM Vol. 1, "RDRAND": more than ten failures in a row mean that it is broken */

static bool rdrand(uint64_t *number)
{
    if (!(cpuid_read(1, 0).ecx & CPUID_1_ECX_RDRAND))
        return false;
    for (int i = 0; i < RDRAND_TRIES; i++) {
        bool good;
        __asm__ volatile("rdrand %0" : "=r"(*number), "=@ccc"(good));
        if (good)
            return true;
    }
    return false;
}

/* Each bit of the result depends on each bit of x: the finalizer of splitmix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

uint64_t random64(void)
{
    static uint64_t calls;
    uint64_t number = 0;

    (void)rdrand(&number);
    return number ^ mix(tsc_read() + ++calls * 0x9e3779b97f4a7c15);
}

int random_is_secret(void)
{
    uint64_t number;

    return rdrand(&number);
}
