#include "decode/cli/text/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* less: quit if the output fits one screen, show colours, keep the screen. */
#define LESS_OPTIONS "FRX"
#define DEFAULT_PAGER "if command -v less >/dev/null; then exec less; else exec cat; fi"
#define EXIT_INTERRUPTED 130

static bool forbidden;
static volatile pid_t pager; /* 0: none */

void pager_forbid(void)
{
    forbidden = true;
}

bool pager_runs(void)
{
    return pager != 0;
}

/* NULL: no pager is to be used. */
static const char *find_pager(void)
{
    const char *wanted = getenv("PAGER"), *terminal = getenv("TERM");
    if (forbidden || !isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb") ||
        (wanted && (!wanted[0] || !strcmp(wanted, "cat"))))
        return NULL;
    return wanted ? wanted : DEFAULT_PAGER;
}

static void wait_for_pager(void)
{
    close(STDOUT_FILENO);
    while (waitpid(pager, NULL, 0) < 0)
        if (kill(pager, 0) != 0)
            break;
}

/* The pager owns the terminal until it ends. A user who quits it early has read enough, which is not an error. */
static void leave(int signal)
{
    wait_for_pager();
    _exit(signal == SIGPIPE ? 0 : EXIT_INTERRUPTED);
}

static void run(const char *command, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", LESS_OPTIONS, 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void pager_start(void)
{
    int ends[2];
    const char *command = find_pager();
    if (!command || pager || pipe(ends) != 0)
        return;
    fflush(stdout);
    pager = fork();
    if (pager == 0)
        run(command, ends);
    if (pager > 0) {
        dup2(ends[1], STDOUT_FILENO);
        signal(SIGINT, leave);
        signal(SIGPIPE, leave);
    } else {
        pager = 0;
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void)
{
    if (pager)
        wait_for_pager();
    pager = 0;
}
