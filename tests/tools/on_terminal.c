/*
 * Runs a command on a terminal of its own, a pseudoterminal, and writes what it prints there to a file.
 *
 * usage: on_terminal COLUMNSxROWS FILE [--then COLUMNSxROWS] [--deaf-until FILE] COMMAND...
 *
 *   --then         resize the terminal when something was printed
 *   --deaf-until   read nothing from the terminal until this file exists: it is full soon
 *
 * Exit status: the command's; 255 if it cannot be run or was killed by a signal.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PAUSE 20 /* milliseconds after which it is tried again */

static bool read_size(struct winsize *size, const char *text)
{
    return sscanf(text, "%hux%hu", &size->ws_col, &size->ws_row) == 2;
}

static int fail(const char *what)
{
    perror(what);
    return 255;
}

/* Returns the master; the child does not return. */
static int run(char **command, const struct winsize *size, pid_t *child)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) || unlockpt(master) || ioctl(master, TIOCSWINSZ, size))
        return -1;
    *child = fork();
    if (*child != 0)
        return *child < 0 ? -1 : master;
    setsid();
    const int slave = open(ptsname(master), O_RDWR); /* the controlling terminal of the session */
    if (slave < 0)
        _exit(255);
    for (int fd = 0; fd < 3; fd++)
        dup2(slave, fd);
    execvp(command[0], command);
    perror(command[0]);
    _exit(255);
}

static void copy(int master, FILE *file, const struct winsize *then)
{
    char bytes[4096];
    ssize_t size;
    while ((size = read(master, bytes, sizeof(bytes))) > 0) { /* an error: the command has ended */
        fwrite(bytes, 1, (size_t)size, file);
        fflush(file);
        if (then->ws_col)
            ioctl(master, TIOCSWINSZ, then);
    }
}

int main(int argc, char **argv)
{
    struct winsize size = {0}, then = {0};
    const char *deaf_until = NULL;
    pid_t child;
    int at = 3, status;
    if (argc < 4 || !read_size(&size, argv[1]))
        return fail("usage");
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
        if (!strcmp(argv[at], "--deaf-until"))
            deaf_until = argv[at + 1];
        else if (strcmp(argv[at], "--then") || !read_size(&then, argv[at + 1]))
            return fail(argv[at]);
    }
    FILE *file = fopen(argv[2], "w");
    const int master = file && at < argc ? run(argv + at, &size, &child) : -1;
    if (master < 0)
        return fail("on_terminal");
    while (deaf_until && access(deaf_until, F_OK) != 0)
        poll(NULL, 0, PAUSE);
    copy(master, file, &then);
    if (fclose(file) != 0 || waitpid(child, &status, 0) != child)
        return fail(argv[2]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}
