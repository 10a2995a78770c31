/*
 * The program that perf traces in the guest: conditional and indirect branches, calls deeper than the processor's
 * return stack, and system calls, a few ten thousand branches in all. No library: all of its code is here, for the
 * decoder too.
 */
#include <stdint.h>

#define NR_VALUES 512u
#define SYS_WRITE 1
#define SYS_EXIT 60

static uint32_t values[NR_VALUES];

static long system_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static uint32_t random_next(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void heap_sift(uint32_t root, uint32_t end)
{
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= end)
            return;
        if (child + 1 < end && values[child] < values[child + 1])
            child++;
        if (values[root] >= values[child])
            return;
        uint32_t kept = values[root];
        values[root] = values[child];
        values[child] = kept;
        root = child;
    }
}

static void heap_sort(void)
{
    for (uint32_t n = NR_VALUES / 2; n-- > 0;)
        heap_sift(n, NR_VALUES);
    for (uint32_t end = NR_VALUES - 1; end > 0; end--) {
        uint32_t kept = values[0];
        values[0] = values[end];
        values[end] = kept;
        heap_sift(0, end);
    }
}

/* Deeper than 64 calls: the oldest returns are not compressed. */
__attribute__((noinline)) static uint32_t depth_sum(uint32_t depth)
{
    uint32_t below = depth == 0 ? 0 : depth_sum(depth - 1);
    __asm__ volatile("" : "+r"(below)); /* no tail call, no loop */
    return below + depth;
}

static uint32_t add(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    return (a << 7 | a >> 25) ^ b;
}

static uint32_t fold(void)
{
    uint32_t (*const step[])(uint32_t, uint32_t) = {add, mix};
    uint32_t sum = 0;
    for (uint32_t n = 0; n < NR_VALUES; n++)
        sum = step[values[n] >> 3 & 1](sum, values[n]);
    return sum;
}

static void print_hex(uint32_t number)
{
    char text[] = "workload: 00000000\n";
    for (int n = 17; n >= 10; n--, number >>= 4)
        text[n] = "0123456789abcdef"[number & 15];
    system_call(SYS_WRITE, 1, (long)text, sizeof(text) - 1);
}

void _start(void);
void _start(void)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 24; round++) {
        for (uint32_t n = 0; n < NR_VALUES; n++)
            values[n] = random_next();
        heap_sort();
        sum = mix(sum, fold()) + depth_sum(100);
        print_hex(sum);
    }
    system_call(SYS_EXIT, 0, 0, 0);
    __builtin_unreachable();
}
