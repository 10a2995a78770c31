/* Streams of several CPUs: when a capture is complete, what its files contain, and answers of each CPU to a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/capture.h"
#include "decode/receive/control.h"
#include "decode/receive/store.h"
#include "serial/wire/frame.h"

struct fixture {
    char directory[32];
    struct store *store;
    uint64_t offsets[3];
    struct error error;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    strcpy(f->directory, "/tmp/test_streams.XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    f->store = store_create(f->directory, &f->error);
    assert_non_null(f->store);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char command[64];
    if (f->store)
        store_close(f->store);
    snprintf(command, sizeof(command), "rm -rf %s", f->directory);
    free(f);
    return system(command);
}

static void put_text(struct fixture *f, uint16_t cpu, enum record_kind kind, const char *text)
{
    uint8_t bytes[256] = {0};
    uint32_t length = (uint32_t)strlen(text);
    struct record_header header = {.kind = (uint16_t)kind, .cpu = cpu, .length = length};
    size_t size = sizeof(header) + ((length + 7u) & ~7u);
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + sizeof(header), text, length);
    assert_true(store_records(f->store, cpu, f->offsets[cpu], bytes, size));
    f->offsets[cpu] += size;
}

/* Records that did not arrive are a damage of the capture, whether others follow them or not. */
static void missing_records_are_recorded(void **state)
{
    struct fixture *f = *state;
    put_text(f, 0, RECORD_HELLO, "nr_cpus 2\n");
    f->offsets[0] += 48;
    store_lost_frames(f->store, 1, FRAME_MAX_PAYLOAD);
    put_text(f, 0, RECORD_LOG, "a line");
    put_text(f, 0, RECORD_END, "trace_bytes 0\n");
    put_text(f, 1, RECORD_LOG, "a line");
    f->offsets[1] += 4096;
    store_lost_frames(f->store, 1, FRAME_MAX_PAYLOAD);
    put_text(f, 1, RECORD_END + 100, ""); /* of no known kind: not taken for a record after missing bytes */
    store_settle(f->store);
    assert_true(store_flush(f->store));

    struct capture *capture = capture_open(f->directory, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->damages.count, 2);
    assert_int_equal(capture->damages.items[0].kind, DAMAGE_LOST);
    assert_int_equal(capture->damages.items[0].size, 48);
    assert_int_equal(capture->damages.items[1].kind, DAMAGE_LOST);
    assert_int_equal(capture->damages.items[1].size, 4096 + 8); /* its last bytes may begin a record */
    assert_int_equal(capture->records[1].header.kind, RECORD_LOST);
    assert_int_equal(capture->records[2].header.kind, RECORD_LOG);
    capture_close(capture);
}

static void the_last_end_ends_it(void **state)
{
    static const uint8_t trace[16] = {0};
    struct fixture *f = *state;
    const struct store_totals *totals = store_totals(f->store);
    put_text(f, 0, RECORD_HELLO, "nr_cpus 3\n");
    assert_int_equal(totals->nr_cpus, 3);
    assert_true(store_trace(f->store, 1, 0, trace, sizeof(trace)));
    put_text(f, 1, RECORD_END, "trace_bytes 16\n");
    put_text(f, 0, RECORD_END, "trace_bytes 0\n");
    assert_false(totals->ended); /* CPU 2 never ran, but sends an end record too */
    put_text(f, 2, RECORD_END, "trace_bytes 0\n");
    assert_true(totals->ended);
    assert_int_equal(totals->cpus[1].trace_bytes, 16);
    assert_int_equal(totals->lost_trace_bytes, 0);
    assert_true(store_flush(f->store));

    struct capture *capture = capture_open(f->directory, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_cpus, 3);
    assert_true(capture_ended(capture));
    assert_true(capture->cpus[2].present);
    assert_int_equal(capture->cpus[2].size, 0);
    assert_int_equal(capture->cpus[1].size, 16);
    capture_close(capture);
}

static void without_a_hello_those_count_that_came(void **state)
{
    static const uint8_t trace[16] = {0};
    struct fixture *f = *state;
    put_text(f, 0, RECORD_END, "trace_bytes 0\n");
    assert_true(store_totals(f->store)->ended);
    assert_true(store_trace(f->store, 1, 0, trace, sizeof(trace)));
    assert_false(store_totals(f->store)->ended);
    put_text(f, 1, RECORD_END, "trace_bytes 16\n");
    assert_true(store_totals(f->store)->ended);
}

static void a_capture_without_the_last_end_is_cut_off(void **state)
{
    struct fixture *f = *state;
    put_text(f, 0, RECORD_HELLO, "nr_cpus 2\n");
    put_text(f, 0, RECORD_END, "trace_bytes 0\n");
    assert_true(store_flush(f->store));
    struct capture *capture = capture_open(f->directory, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_cpus, 2);
    assert_false(capture_ended(capture));
    capture_close(capture);
}

static void meta_has_each_end(void **state)
{
    struct fixture *f = *state;
    char path[64], text[512] = "";
    put_text(f, 0, RECORD_HELLO, "nr_cpus 2\n");
    put_text(f, 1, RECORD_END, "pmis 7\n");
    put_text(f, 0, RECORD_END, "pmis 5\n");
    snprintf(path, sizeof(path), "%s/meta.json", f->directory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text,
                        "{\n  \"capture_format\": 1,\n  \"nr_cpus\": 2,\n  \"end\": {\n    \"pmis\": 5\n  },\n"
                        "  \"ends\": [\n    {\n      \"pmis\": 5\n    },\n    {\n      \"pmis\": 7\n    }\n  ]\n}\n");
}

/* --- commands --- */

static unsigned nr_sent;

static bool send_nothing(void *context, const uint8_t *frame, size_t size)
{
    (void)context, (void)frame, (void)size;
    nr_sent++;
    return true;
}

static int ask(const struct fixture *f, const char *line)
{
    struct sockaddr_un address;
    int directory = control_address(&address, f->directory), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
    close(directory);
    assert_int_equal(send(client, line, strlen(line), 0), strlen(line));
    return client;
}

static void serve(struct control *control, const struct fixture *f, unsigned times)
{
    for (; times > 0; times--) {
        control_serve(control, true, 1, f->store, send_nothing, NULL);
        usleep(1000);
    }
}

/* Read what has arrived. Returns whether the other side has closed the connection. */
static bool answers(int client, char *text, size_t size)
{
    ssize_t part;
    size_t used = strlen(text);
    while ((part = recv(client, text + used, size - used - 1, MSG_DONTWAIT)) > 0)
        used += (size_t)part;
    text[used] = '\0';
    return part == 0;
}

static void every_cpu_answers(void **state)
{
    struct fixture *f = *state;
    char text[512] = "";
    struct control *control = control_open(f->directory, &f->error);
    assert_non_null(control);
    put_text(f, 0, RECORD_HELLO, "nr_cpus 2\n");
    nr_sent = 0;
    int client = ask(f, "status\n");
    serve(control, f, 5);
    assert_int_equal(nr_sent, 1);
    put_text(f, 1, RECORD_STATUS, "command 1\nresult ok\n");
    serve(control, f, 5);
    assert_false(answers(client, text, sizeof(text)));
    assert_string_equal(text, "cpu 1\ncommand 1\nresult ok\n");
    put_text(f, 0, RECORD_STATUS, "command 1\nresult ok\n");
    serve(control, f, 5);
    assert_true(answers(client, text, sizeof(text)));
    assert_string_equal(text, "cpu 1\ncommand 1\nresult ok\n\ncpu 0\ncommand 1\nresult ok\n");
    assert_int_equal(nr_sent, 1);
    close(client);
    control_close(control);
}

/* A CPU that waits for its start may answer later: it is waited for one second, and one that has ended not at all. */
static void a_cpu_that_does_not_run_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    char text[512] = "";
    struct control *control = control_open(f->directory, &f->error);
    put_text(f, 0, RECORD_HELLO, "nr_cpus 2\n");
    int client = ask(f, "status\n");
    serve(control, f, 5);
    put_text(f, 0, RECORD_STATUS, "command 1\nresult ok\n");
    serve(control, f, 100);
    assert_false(answers(client, text, sizeof(text)));
    serve(control, f, 1100);
    assert_true(answers(client, text, sizeof(text)));
    assert_string_equal(text, "cpu 0\ncommand 1\nresult ok\n");
    close(client);

    put_text(f, 1, RECORD_END, "trace_bytes 0\n");
    client = ask(f, "pause\n");
    serve(control, f, 5);
    put_text(f, 0, RECORD_STATUS, "command 2\nresult ok\n");
    serve(control, f, 5);
    text[0] = '\0';
    assert_true(answers(client, text, sizeof(text)));
    close(client);
    control_close(control);
}

static void a_single_cpu_answers_as_ever(void **state)
{
    struct fixture *f = *state;
    char text[512] = "";
    struct control *control = control_open(f->directory, &f->error);
    put_text(f, 0, RECORD_HELLO, "nr_cpus 1\n");
    int client = ask(f, "status\n");
    serve(control, f, 5);
    put_text(f, 0, RECORD_STATUS, "command 1\nresult ok\n");
    serve(control, f, 2);
    assert_true(answers(client, text, sizeof(text)));
    assert_string_equal(text, "command 1\nresult ok\n");
    close(client);
    control_close(control);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(missing_records_are_recorded),
        TEST(the_last_end_ends_it),
        TEST(without_a_hello_those_count_that_came),
        TEST(a_capture_without_the_last_end_is_cut_off),
        TEST(meta_has_each_end),
        TEST(every_cpu_answers),
        TEST(a_cpu_that_does_not_run_is_not_waited_for),
        TEST(a_single_cpu_answers_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
