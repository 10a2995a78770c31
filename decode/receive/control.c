#include "decode/receive/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "serial/command.h"

#define REPEAT_SECONDS 1.0
#define PATIENCE_SECONDS 15.0
#define LINE_MAX_BYTES (COMMAND_TEXT_MAX + 16u)

struct control {
    int directory, listener;
    int client; /* the one whose command is under way; -1: none */
    size_t used;
    char line[LINE_MAX_BYTES + 1];
    bool asked; /* command is whole */
    struct command command;
    double begun, sent;
    uint32_t last_number;
};

int control_address(struct sockaddr_un *address, const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/" CONTROL_SOCKET, fd);
    return fd;
}

struct control *control_open(const char *directory, struct error *error)
{
    struct sockaddr_un address;
    struct control *control = calloc(1, sizeof(*control));
    if (!control) {
        error_set(error, ERROR_MEMORY, 0, "the control socket");
        return NULL;
    }
    control->client = -1;
    control->directory = control_address(&address, directory);
    control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (control->directory >= 0 && control->listener >= 0 &&
        bind(control->listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(control->listener, 8) == 0)
        return control;
    error_set(error, ERROR_CANNOT_LISTEN, 0, "%s/" CONTROL_SOCKET, directory);
    control_close(control);
    return NULL;
}

void control_close(struct control *control)
{
    if (control->directory >= 0) {
        unlinkat(control->directory, CONTROL_SOCKET, 0);
        close(control->directory);
    }
    if (control->listener >= 0)
        close(control->listener);
    if (control->client >= 0)
        close(control->client);
    free(control);
}

static void control_reply(struct control *control, const char *text, size_t size)
{
    (void)!send(control->client, text, size, MSG_NOSIGNAL);
    close(control->client);
    control->client = -1;
    control->asked = false;
    control->used = 0;
}

static void control_refuse(struct control *control, const char *why)
{
    char text[128];
    int size = snprintf(text, sizeof(text), "result %s\n", why);
    control_reply(control, text, (size_t)size);
}

/* A line has come: the command's word, a blank, its text. */
static void take_line(struct control *control)
{
    char *text = strchr(control->line, ' ');
    if (text)
        *text++ = 0;
    control->command =
        (struct command){.number = control->last_number + 1, .opcode = (uint16_t)command_opcode_of(control->line)};
    if (!control->command.opcode) {
        control_refuse(control, "there is no such command: status, pause, resume, snapshot, set NAME=VALUE");
        return;
    }
    snprintf(control->command.text, sizeof(control->command.text), "%s", text ? text : "");
    control->last_number++;
    control->asked = true;
    control->begun = monotonic_seconds();
    control->sent = 0;
}

static void read_client(struct control *control)
{
    ssize_t size = recv(control->client, control->line + control->used, LINE_MAX_BYTES - control->used, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    control->used += size > 0 ? (size_t)size : 0;
    control->line[control->used] = 0;
    char *end = strchr(control->line, '\n');
    if (end) {
        *end = 0;
        take_line(control);
    } else if (size <= 0 || control->used == LINE_MAX_BYTES) {
        control_refuse(control, "this is no line of a command, or a too long one");
    }
}

static void control_pursue(struct control *control, bool started, uint32_t stream_id, struct record_text status,
                           control_send *way, void *context)
{
    uint8_t frame[COMMAND_FRAME_MAX];
    double now = monotonic_seconds();
    uint64_t number;
    if (text_find_number(&number, status, "command") && number == control->command.number) {
        control_reply(control, status.bytes, status.size);
    } else if (!way) {
        control_refuse(control, "this source only listens: commands need UDP, a terminal device or a socket");
    } else if (!started) {
        control->begun = now; /* the machine may be booting yet */
    } else if (now - control->begun > PATIENCE_SECONDS) {
        control_refuse(control, "the machine does not answer");
    } else if (now - control->sent > REPEAT_SECONDS) {
        size_t size = command_build(frame, stream_id, &control->command);
        if (way(context, frame, size))
            control->sent = now;
    }
}

void control_serve(struct control *control, bool started, uint32_t stream_id, struct record_text status,
                   control_send *way, void *context)
{
    if (control->client < 0)
        control->client = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (control->client >= 0 && !control->asked)
        read_client(control);
    if (control->client >= 0 && control->asked)
        control_pursue(control, started, stream_id, status, way, context);
}
