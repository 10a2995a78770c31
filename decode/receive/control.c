#include "decode/receive/control.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/receive/control_clients.h"
#include "serial/wire/command.h"

#define REPEAT_SECONDS 1.0
#define PATIENCE_SECONDS 15.0
#define FIRST_FRAME_SECONDS 60.0 /* the machine may still be in its firmware */
#define OTHERS_SECONDS 1.0       /* wait so long after the last answer: a CPU answers only when it runs */

struct control {
    int directory, listener;
    struct control_clients clients;
    struct control_client *client; /* whose command is processed; NULL: none */
    struct command command;
    double pending_since, begun, sent;
    bool answered[STORE_MAX_CPUS];
    unsigned nr_answers;
    double last_answer;
    uint32_t last_number; /* the highest that was used, by this receiver or by anyone else */
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
    control_clients_init(&control->clients);
    control->directory = control_address(&address, directory);
    control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (control->directory >= 0) /* of a receiver that was killed: the store has locked the directory */
        unlinkat(control->directory, CONTROL_SOCKET, 0);
    if (control->directory >= 0 && control->listener >= 0 &&
        bind(control->listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(control->listener, 64) == 0)
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
    control_clients_free(&control->clients);
    free(control);
}

static void end_client(struct control *control)
{
    control_client_end(control->client);
    control->client = NULL;
}

static void control_refuse(struct control *control, const char *why)
{
    control_client_refuse(control->client, why);
    control->client = NULL;
}

/* Numbers wrap around at 2^32. */
static bool number_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

/* Without a key, others can send commands too: continue after the highest number that the machine has executed. */
static void note_numbers(struct control *control, const struct store *store)
{
    for (unsigned cpu = 0; cpu < store_totals(store)->nr_cpus; cpu++) {
        uint64_t number;
        if (text_find_number(&number, store_status(store, cpu), "command") &&
            number_after((uint32_t)number, control->last_number))
            control->last_number = (uint32_t)number;
    }
}

/* Give the command a new number, and send it at once. */
static void number_command(struct control *control)
{
    control->command.number = ++control->last_number;
    control->sent = 0;
}

/* Parse a line: the command's word, a blank, its text. */
static void take_line(struct control *control)
{
    char *text = strchr(control->client->line, ' ');
    if (text)
        *text++ = 0;
    control->command = (struct command){.opcode = (uint16_t)command_opcode_of(control->client->line)};
    if (!control->command.opcode) {
        control_refuse(control, "unknown command; choose from status, pause, resume, snapshot, set NAME=VALUE");
        return;
    }
    snprintf(control->command.text, sizeof(control->command.text), "%s", text ? text : "");
    number_command(control);
    control->pending_since = control->begun = monotonic_seconds();
    memset(control->answered, 0, sizeof(control->answered));
    control->nr_answers = 0;
}

/* Forward the answer of a CPU, with its number if there are several. */
static void pass_answer(struct control *control, unsigned cpu, struct record_text status, bool single)
{
    char line[32];
    int size = snprintf(line, sizeof(line), "%scpu %u\n", control->nr_answers ? "\n" : "", cpu);
    if (!single)
        control_client_send(control->client, line, (size_t)size);
    control_client_send(control->client, status.bytes, status.size);
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
        /* The machine ignores numbers that are not after the last one. */
        if (number_after(control->last_number, control->command.number))
            number_command(control);
        size_t size = command_build(frame, stream_id, &control->command);
        if (way(context, frame, size))
            control->sent = now;
    }
}

void control_serve(struct control *control, bool started, uint32_t stream_id, const struct store *store,
                   control_send *way, void *context)
{
    control_clients_serve(&control->clients, control->listener);
    note_numbers(control, store);
    if (!control->client && (control->client = control_clients_first(&control->clients)))
        take_line(control);
    if (!control->client)
        return;
    if (collect_answers(control, store))
        end_client(control);
    else if (control->nr_answers == 0)
        pursue_command(control, started, stream_id, way, context);
}
