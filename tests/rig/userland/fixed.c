/* One of two programs that are linked at the same address and do different things there: WHICH is 1 or 2. */
#include <stdio.h>
#include <stdlib.h>

static unsigned collatz(unsigned long n)
{
    unsigned steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static unsigned primes(unsigned long n)
{
    unsigned found = 0;
    for (unsigned long i = 2; i < 50 * n; i++) {
        unsigned long k = 2;
        while (k * k <= i && i % k)
            k++;
        found += k * k > i;
    }
    return found;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 27;
    printf("userland: fixed %d, %u\n", WHICH, WHICH == 1 ? collatz(n * 977) : primes(n));
    return 0;
}
