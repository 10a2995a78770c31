/*
 * Threads that fork and spawn: THREADS of them, ROUNDS times each. A fork's child runs functions that its parent has
 * not run, each in a page of its own, so that it is the first to map them, and only in its own address space; a spawned
 * child (CLONE_VM, until it executes) shares its parent's.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define COLD __attribute__((noinline, aligned(4096)))
#define COLD_FUNCTION(n)                                                                                               \
    COLD static int cold_##n(int x)                                                                                    \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            x = x % 2 ? x * 3 + 1 : x / 2 + n;                                                                         \
        return x;                                                                                                      \
    }
COLD_FUNCTION(3)
COLD_FUNCTION(5)
COLD_FUNCTION(7)
COLD_FUNCTION(11)
COLD_FUNCTION(13)
COLD_FUNCTION(17)

static int (*const cold[])(int) = {cold_3, cold_5, cold_7, cold_11, cold_13, cold_17};
#define NR_COLD (int)(sizeof cold / sizeof cold[0])

static int rounds;
static atomic_int forked, spawned, wrong;

/* Of 1 + x: never the code of a child that could not run. */
static int exit_code(int which, int x)
{
    return 1 + (cold[which](x) & 63);
}

static void fork_once(int which, int x)
{
    int status;
    const pid_t child = fork();

    if (child == 0)
        _exit(exit_code(which, x));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 0)
        atomic_fetch_add(&wrong, 1);
    else
        atomic_fetch_add(&forked, 1);
}

static void spawn_once(void)
{
    char *words[] = {"true", NULL}, *none[] = {NULL};
    int status;
    pid_t child;

    if (posix_spawn(&child, "/usr/bin/true", NULL, NULL, words, none) != 0 || waitpid(child, &status, 0) != child ||
        status != 0)
        atomic_fetch_add(&wrong, 1);
    else
        atomic_fetch_add(&spawned, 1);
}

static void *run(void *seed)
{
    for (int i = 0; i < rounds; i++) {
        fork_once((i + *(int *)seed) % NR_COLD, i);
        if (i % 4 == 0)
            spawn_once();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    int seeds[16];
    const int nr = argc > 1 ? atoi(argv[1]) % 17 : 2;

    rounds = argc > 2 ? atoi(argv[2]) : 10;
    for (int i = 0; i < nr; i++) {
        seeds[i] = i;
        if (pthread_create(&threads[i], NULL, run, &seeds[i]))
            return 1;
    }
    for (int i = 0; i < nr; i++)
        pthread_join(threads[i], NULL);
    printf("userland: %d threads, %d forked, %d spawned, %d wrong\n", nr, forked, spawned, wrong);
    return wrong != 0;
}
