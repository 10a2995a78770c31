/* The exact output of `undertrace info --json`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/text/info_json.h"
#include "tests/unit/decode/capture/capture_fixture.h"

/* The JSON of the capture, without its directory's name. */
static char *json_of(struct capture_fixture *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(file);
    assert_non_null(capture);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    info_json(file, capture);
    capture_close(capture);
    fclose(file);
    char *name = strstr(text, f->capture);
    assert_non_null(name);
    memmove(name, name + strlen(f->capture), strlen(name + strlen(f->capture)) + 1);
    return text;
}

static void an_empty_capture(void **state)
{
    struct capture_fixture *f = *state;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    assert_true(store_close(store));
    char *text = json_of(f);
    assert_string_equal(text,
                        "{\n  \"capture\": \"\",\n  \"ended\": false,\n  \"checksums\": true,\n  \"damage\": [],\n"
                        "  \"without_checksum\": [],\n  \"events_left_over\": 0,\n  \"hello\": null,\n"
                        "  \"streams\": [],\n  \"tasks\": [],\n  \"names\": [],\n  \"gaps\": [],\n  \"log\": []\n}\n");
    free(text);
}

static void a_capture_with_all_records(void **state)
{
    static const char expected[] =
        "{\n  \"capture\": \"\",\n  \"ended\": false,\n  \"checksums\": true,\n  \"damage\": [\n"
        "    {\"file\": \"cpu0.pt\", \"offset\": 600, \"bytes\": 400, \"kind\": \"cut\"}\n  ],\n"
        "  \"without_checksum\": [],\n  \"events_left_over\": 0,\n  \"hello\": {\n    \"nr_cpus\": 2\n  },\n"
        "  \"streams\": [\n"
        "    {\"cpu\": 0, \"trace_bytes\": 600, \"handed_over\": 700,\n"
        "     \"records\": {\"other\": 0, \"hello\": 1, \"page\": 0, \"drain\": 1, \"gap\": 2, \"log\": 1, \"end\": 1, "
        "\"status\": 0, \"seen\": 0, \"map\": 0, \"task\": 1, \"lost\": 0, \"segment\": 0, \"clock\": 1},\n"
        "     \"clock\": [{\"at\": 90, \"ahead\": -5000, \"error\": 19, \"written\": true}],\n"
        "     \"end\": {\n       \"trace_bytes\": 1000,\n       \"exit.cpuid\": 4\n     }},\n"
        "    {\"cpu\": 1, \"trace_bytes\": null, \"handed_over\": 0,\n"
        "     \"records\": {\"other\": 0, \"hello\": 0, \"page\": 0, \"drain\": 0, \"gap\": 0, \"log\": 0, \"end\": 0, "
        "\"status\": 0, \"seen\": 0, \"map\": 0, \"task\": 0, \"lost\": 0, \"segment\": 0, \"clock\": 0},\n"
        "     \"clock\": [],\n     \"end\": null}\n  "
        "],\n"
        "  \"tasks\": [\n    {\"cpu\": 0, \"at\": 70, \"tsc\": 0, \"cr3\": \"5000\", \"pid\": 7, \"thread\": 8, "
        "\"comm\": \"a \\\"name\\\"\", \"borrows\": false}\n  ],\n"
        "  \"names\": [],\n"
        "  \"gaps\": [\n"
        "    {\"cpu\": 0, \"at\": 100, \"bytes\": null, \"tsc_ticks\": 30, \"cause\": \"drop\", "
        "\"text\": \"no free region: tracing paused\"},\n"
        "    {\"cpu\": 0, \"at\": 200, \"bytes\": 50, \"tsc_ticks\": null, \"cause\": \"ring\", "
        "\"text\": \"overwritten in the ring\"}\n  ],\n"
        "  \"log\": [\n    \"channel \\\"e1000\\\"\"\n  ]\n}\n";
    struct record_drain drain = {.size = 700};
    struct record_gap gaps[2] = {{.at = 100, .tsc_from = 10, .tsc_to = 40, .cause = RECORD_GAP_DROP},
                                 {.at = 200, .size = 50, .cause = RECORD_GAP_RING}};
    const struct record_task task = {.cr3 = 0x5000, .pid = 8, .tgid = 7, .comm = "a \"name\""};
    struct capture_fixture *f = *state;
    uint8_t trace[1000] = {0};
    uint64_t offset = 0;
    char path[128];
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    put_record(store, 0, &offset, RECORD_HELLO, 0, "nr_cpus 2\n", 10);
    put_record(store, 0, &offset, RECORD_DRAIN, 0, &drain, sizeof(drain));
    put_record(store, 0, &offset, RECORD_GAP, 0, &gaps[0], sizeof(gaps[0]));
    put_record(store, 0, &offset, RECORD_GAP, 0, &gaps[1], sizeof(gaps[1]));
    put_record(store, 0, &offset, RECORD_TASK, 70, &task, sizeof(task));
    put_record(store, 0, &offset, RECORD_LOG, 0, "channel \"e1000\"", 15);
    assert_true(store_trace(store, 0, 0, trace, sizeof(trace)));
    assert_true(store_flush(store));
    const struct record_clock clock = {.ahead = (uint64_t)-5000, .error = 19, .flags = RECORD_CLOCK_WRITTEN};
    put_record(store, 0, &offset, RECORD_CLOCK, 90, &clock, sizeof(clock));
    put_record(store, 0, &offset, RECORD_END, 0, "trace_bytes 1000\nexit.cpuid 4\n", 30);
    assert_true(store_close(store));
    assert_int_equal(truncate(capture_path(path, f, "cpu0.pt"), 600), 0);
    char *text = json_of(f);
    /* The bytes of the truncated block cannot be checked; another test covers that line. */
    char *unchecked = strstr(text, "    {\"file\": \"cpu0.pt\", \"offset\": 0");
    assert_non_null(unchecked);
    char *end = strchr(unchecked, '\n') + 1;
    memmove(unchecked, end, strlen(end) + 1);
    assert_string_equal(text, expected);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CAPTURE_TEST(an_empty_capture), CAPTURE_TEST(a_capture_with_all_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
