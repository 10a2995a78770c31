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
#include "serial/wire/command.h"

#define REPEAT_SECONDS 1.0
#define PATIENCE_SECONDS 15.0
#define FIRST_FRAME_SECONDS 60.0 /* the machine may still be in its firmware */
#define OTHERS_SECONDS 1.0       /* wait so long after the last answer: a CPU answers only when it runs */
#define LINE_MAX_BYTES (COMMAND_TEXT_MAX + 16u)

struct control {
    int directory, listener;
    int client; /* whose command is processed; -1: none */
    size_t used;
    char line[LINE_MAX_BYTES + 1];
    bool pending; /* command is complete */
    struct command command;
    double pending_since, begun, sent;
    bool answered[STORE_MAX_CPUS];
    unsigned nr_answers;
    double last_answer;
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

static void end_client(struct control *control)
{
    close(control->client);
    control->client = -1;
    control->pending = false;
    control->used = 0;
}

static void control_refuse(struct control *control, const char *why)
{
    char text[128];
    int size = snprintf(text, sizeof(text), "result %s\n", why);
    (void)!send(control->client, text, (size_t)size, MSG_NOSIGNAL);
    end_client(control);
}

/* Parse a line: the command's word, a blank, its text. */
static void take_line(struct control *control)
{
    char *text = strchr(control->line, ' ');
    if (text)
        *text++ = 0;
    control->command =
        (struct command){.number = control->last_number + 1, .opcode = (uint16_t)command_opcode_of(control->line)};
    if (!control->command.opcode) {
        control_refuse(control, "unknown command; choose from status, pause, resume, snapshot, set NAME=VALUE");
        return;
    }
    snprintf(control->command.text, sizeof(control->command.text), "%s", text ? text : "");
    control->last_number++;
    control->pending = true;
    control->pending_since = control->begun = monotonic_seconds();
    control->sent = 0;
    memset(control->answered, 0, sizeof(control->answered));
    control->nr_answers = 0;
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
        control_refuse(control, "the line is not a command, or is too long");
    }
}

/* Forward the answer of a CPU, with its number if there are several. */
static void pass_answer(struct control *control, unsigned cpu, struct record_text status, bool single)
{
    char line[32];
    int size = snprintf(line, sizeof(line), "%scpu %u\n", control->nr_answers ? "\n" : "", cpu);
    if (!single)
        (void)!send(control->client, line, (size_t)size, MSG_NOSIGNAL);
    (void)!send(control->client, status.bytes, status.size, MSG_NOSIGNAL);
    control->answered[cpu] = true;
    control->nr_answers++;
    control->last_answer = monotonic_seconds();
}

/* Forward new answers. true: no more are expected. */
static bool collect_answers(struct control *control, const struct store *store)
{
    const struct store_totals *totals = store_totals(store);
    bool all = true;
    for (unsigned cpu = 0; cpu < totals->nr_cpus; cpu++) {
        struct record_text status = store_status(store, cpu);
        uint64_t number;
        if (!control->answered[cpu] && text_find_number(&number, status, "command") &&
            number == control->command.number)
            pass_answer(control, cpu, status, totals->nr_cpus == 1);
        all = all && (control->answered[cpu] || totals->cpus[cpu].ended);
    }
    return control->nr_answers > 0 && (all || monotonic_seconds() - control->last_answer > OTHERS_SECONDS);
}

static void pursue_command(struct control *control, bool started, uint32_t stream_id, control_send *way, void *context)
{
    uint8_t frame[COMMAND_FRAME_MAX];
    double now = monotonic_seconds();
    if (!way) {
        control_refuse(control, "this source is read-only: commands need UDP, a terminal device or a socket");
    } else if (!started && now - control->pending_since > FIRST_FRAME_SECONDS) {
        control_refuse(control, "no machine has sent anything to this receiver yet: is it on, and does it send here?");
    } else if (!started) {
        control->begun = now;
    } else if (now - control->begun > PATIENCE_SECONDS) {
        control_refuse(control, "the machine does not answer");
    } else if (now - control->sent > REPEAT_SECONDS) {
        size_t size = command_build(frame, stream_id, &control->command);
        if (way(context, frame, size))
            control->sent = now;
    }
}

void control_serve(struct control *control, bool started, uint32_t stream_id, const struct store *store,
                   control_send *way, void *context)
{
    if (control->client < 0)
        control->client = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (control->client >= 0 && !control->pending)
        read_client(control);
    if (control->client < 0 || !control->pending)
        return;
    if (collect_answers(control, store))
        end_client(control);
    else if (control->nr_answers == 0)
        pursue_command(control, started, stream_id, way, context);
}
