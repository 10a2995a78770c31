#include "decode/cli/text/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* DEC private modes 1049, another screen buffer, and 25, the cursor. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define END_OF_LINE "\033[K"   /* erase to the end of the line */
#define END_OF_SCREEN "\033[J" /* erase to the end of the screen */
#define LAST_MILLISECONDS 1000

/* Another way to the terminal than standard error, whose own flags other programs share. */
static volatile sig_atomic_t fd = -1;
static char picture[SCREEN_MAX_ROWS * (SCREEN_MAX_COLUMNS + 8u) + 64u];
static size_t used, sent; /* bytes of the picture */

bool terminal_is_there(void)
{
    const char *type = getenv("TERM");
    return isatty(STDERR_FILENO) && type && *type && strcmp(type, "dumb") != 0;
}

static void write_now(const char *text)
{
    (void)!write(fd, text, strlen(text));
}

/* SIGTSTP and SIGQUIT: leave the terminal as it was; after SIGCONT draw again. */
static void on_signal(int number)
{
    if (fd >= 0)
        write_now(LEAVE);
    if (number != SIGTSTP) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    raise(SIGSTOP);
    if (fd >= 0)
        write_now(ENTER);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
}

bool terminal_open(void)
{
    static bool registered;
    char name[256];
    if (ttyname_r(STDERR_FILENO, name, sizeof(name)) != 0 ||
        (fd = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) < 0)
        return false;
    if (!registered)
        atexit(terminal_close);
    registered = true;
    catch_signals();
    used = sent = 0;
    write_now(ENTER);
    return true;
}

void terminal_size(unsigned *columns, unsigned *rows)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    *columns = size.ws_col > 1 ? size.ws_col - 1u : 1;
    *rows = size.ws_row;
}

/* Returns whether the picture has been sent. */
static bool send_rest(void)
{
    while (sent < used) {
        const ssize_t size = write(fd, picture + sent, used - sent);
        if (size <= 0)
            return false;
        sent += (size_t)size;
    }
    return true;
}

static void append(const char *text)
{
    const size_t size = strlen(text);
    if (size > sizeof(picture) - used)
        return;
    memcpy(picture + used, text, size);
    used += size;
}

void terminal_draw(const struct screen *screen)
{
    if (fd < 0 || !send_rest())
        return;
    used = sent = 0;
    append(HOME);
    for (unsigned i = 0; i < screen->count; i++) {
        append(i ? "\r\n" : "");
        append(screen->lines[i]);
        append(END_OF_LINE);
    }
    append(END_OF_SCREEN);
    send_rest();
}

void terminal_close(void)
{
    if (fd < 0)
        return;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    while (!send_rest() && poll(&wait, 1, LAST_MILLISECONDS) > 0)
        ;
    if (poll(&wait, 1, LAST_MILLISECONDS) > 0)
        write_now(LEAVE);
    close(fd);
    fd = -1;
    signal(SIGTSTP, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}
