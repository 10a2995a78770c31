/* The outputs of log lines: what each gets, and what a dump does when one of them fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"

#define HZ 1000000u
#define LINE_MAX 511u

uint64_t clock_tsc_hz(void)
{
    return HZ;
}

/* The last line of each output, and the number of lines. */
static struct {
    char line[1024];
    enum log_level level;
    unsigned count;
} console, screen;
static struct {
    char line[1024];
    unsigned lines, panic_lines;
    uint64_t ticks;
    bool acknowledges;
} recorder;
static bool console_faults, recorder_faults; /* at the next line: the CPU logs a dump */

static void fault_once(bool *faults)
{
    if (*faults) {
        *faults = false;
        log_panic("fault");
    }
}

static void console_show(const char *line, enum log_level level)
{
    strcpy(console.line, line);
    console.level = level;
    console.count++;
    fault_once(&console_faults);
}

static void screen_show(const char *line, enum log_level level)
{
    strcpy(screen.line, line);
    screen.level = level;
    screen.count++;
}

/* Uses all of the padding, as a recorder may. */
static void record(char *text, size_t length)
{
    assert_int_equal(strlen(text), length);
    memcpy(recorder.line, text, length + 1);
    memset(text + length, 'x', LOG_TEXT_PADDING);
}

static void recorder_line(char *text, size_t length)
{
    record(text, length);
    recorder.lines++;
}

static bool recorder_panic_line(char *text, size_t length, uint64_t ticks)
{
    record(text, length);
    recorder.panic_lines++;
    recorder.ticks = ticks;
    fault_once(&recorder_faults);
    return recorder.acknowledges;
}

static int set_up(void **state)
{
    static const struct log_recorder outputs = {recorder_line, recorder_panic_line};
    (void)state;
    memset(&console, 0, sizeof(console));
    memset(&screen, 0, sizeof(screen));
    memset(&recorder, 0, sizeof(recorder));
    recorder.acknowledges = true;
    console_faults = recorder_faults = false;
    log_console_set(console_show);
    log_screen_set(screen_show);
    log_recorder_set(&outputs);
    return 0;
}

static void a_line_goes_to_each_registered_output(void **state)
{
    (void)state;
    log_line("%s %u", "channel", 7u);
    assert_string_equal(console.line, "channel 7");
    assert_string_equal(screen.line, "channel 7");
    assert_string_equal(recorder.line, "channel 7");
    assert_int_equal(console.level, LOG_NORMAL);
    assert_int_equal(screen.level, LOG_NORMAL);
    assert_int_equal(recorder.lines, 1);

    log_console_set(NULL);
    log_recorder_set(NULL);
    log_line("second");
    assert_int_equal(console.count, 1);
    assert_int_equal(recorder.lines, 1);
    assert_string_equal(screen.line, "second");

    log_screen_set(NULL);
    log_line("third");
    log_panic("fourth");
    assert_int_equal(screen.count, 2);
}

static void a_long_line_is_cut(void **state)
{
    char text[LINE_MAX + 90];
    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    log_line("%s", text);
    assert_int_equal(strlen(console.line), LINE_MAX);
    assert_int_equal(strlen(recorder.line), LINE_MAX);
    log_panic("b%s", text);
    assert_int_equal(strlen(screen.line), LINE_MAX);
    assert_int_equal(strlen(recorder.line), LINE_MAX);
    assert_int_equal(recorder.line[0], 'b');
}

static void a_dump_waits_for_the_receiver(void **state)
{
    (void)state;
    log_panic("rip %lx", 0x1234ul);
    assert_string_equal(console.line, "rip 1234");
    assert_int_equal(console.level, LOG_PANIC);
    assert_int_equal(screen.level, LOG_PANIC);
    assert_int_equal(recorder.lines, 0);
    assert_int_equal(recorder.panic_lines, 1);
    assert_int_equal(recorder.ticks, 2 * HZ);
}

static void without_acknowledgement_the_recorder_is_not_used_again(void **state)
{
    (void)state;
    recorder.acknowledges = false;
    log_panic("first");
    log_panic("second");
    log_line("third");
    assert_int_equal(recorder.panic_lines, 1);
    assert_int_equal(recorder.lines, 0);
    assert_string_equal(console.line, "third");
    assert_int_equal(console.count, 3);
}

static void a_fault_in_the_recorder_ends_recording(void **state)
{
    (void)state;
    recorder_faults = true;
    log_panic("first");
    log_panic("second");
    assert_int_equal(recorder.panic_lines, 1);
    assert_int_equal(console.count, 3);
    assert_string_equal(console.line, "second");
}

static void a_fault_in_the_console_does_not_hold_its_lock(void **state)
{
    (void)state;
    console_faults = true;
    log_line("first");
    assert_int_equal(console.count, 2);
    assert_string_equal(console.line, "fault");
    assert_int_equal(recorder.panic_lines, 1);
    log_line("second");
    assert_string_equal(console.line, "second");
}

/* The last test: this cannot be undone. */
static void a_guest_that_owns_the_console_sees_dumps_only(void **state)
{
    (void)state;
    log_guest_owns_console();
    log_line("first");
    assert_int_equal(console.count + screen.count, 0);
    assert_string_equal(recorder.line, "first");
    log_panic("second");
    assert_string_equal(console.line, "second");
    assert_int_equal(console.level, LOG_PANIC_OVER_GUEST);
    assert_int_equal(screen.level, LOG_PANIC_OVER_GUEST);
    assert_int_equal(recorder.panic_lines, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_line_goes_to_each_registered_output, set_up),
        cmocka_unit_test_setup(a_long_line_is_cut, set_up),
        cmocka_unit_test_setup(a_dump_waits_for_the_receiver, set_up),
        cmocka_unit_test_setup(without_acknowledgement_the_recorder_is_not_used_again, set_up),
        cmocka_unit_test_setup(a_fault_in_the_recorder_ends_recording, set_up),
        cmocka_unit_test_setup(a_fault_in_the_console_does_not_hold_its_lock, set_up),
        cmocka_unit_test_setup(a_guest_that_owns_the_console_sees_dumps_only, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
