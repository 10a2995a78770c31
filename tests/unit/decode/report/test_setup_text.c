/* The configuration as text, from its bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/report/setup_text.h"

static void shows(const char *hello, const char *const *lines, size_t nr_lines)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    setup_print(file, (struct record_text){hello, strlen(hello)});
    fclose(file);
    for (size_t i = 0; i < nr_lines; i++)
        if (!strstr(out, lines[i]))
            fail_msg("\"%s\" is not in:\n%s", lines[i], out);
    if (nr_lines == 0)
        assert_string_equal(out, "");
    free(out);
}

static void plain(void **state)
{
    static const char *const lines[] = {"traced                       all privilege levels\n",
                                        "address space                all\n",
                                        "addresses                    all\n",
                                        "branches                     yes, returns to their call compressed\n",
                                        "PTWRITE                      no\n",
                                        "timing packets               TSC\n",
                                        "PSB                          about every 16 KiB\n",
                                        "only the guest is traced\n"};
    (void)state;
    shows("cpuid_14_0_ebx 0x0000000f\nrtit_ctl 0x000000000300250c\npt_switch list\n", lines, 8);
}

static void everything(void **state)
{
    static const char *const lines[] = {
        "traced                       privilege level 0\n",
        "only while CR3 is 0x1ab000\n",
        "only from 0x1000 to 0x1fff\n",
        "tracing stops at the first instruction from 0xffffffff81000000 to 0xffffffff8100000f\n",
        "yes, each return with its target\n",
        "PTWRITE                      yes\n",
        "no TSC, MTC every 8 crystal clocks, CYC after 4096 cycles or more\n",
        "at the CPU's default interval\n",
        "a few of its instructions are traced\n"};
    (void)state;
    shows("rtit_ctl 0x000000210068fb86\nrtit_cr3_match 0x1ab000\nrtit_addr0_a 0x1000\nrtit_addr0_b 0x1fff\n"
          "rtit_addr1_a 0xffffffff81000000\nrtit_addr1_b 0xffffffff8100000f\npt_switch root\n",
          lines, 9);
}

static void two_address_spaces(void **state)
{
    static const char *const lines[] = {"address spaces               only while CR3 is 0x1aa000 or 0x1ab000\n"};
    (void)state;
    shows("rtit_ctl 0x000000000300258c\nrtit_cr3_match 0x1aa000\nrtit_cr3_match_too 0x1ab000\n", lines, 1);
}

static void output_and_policy(void **state)
{
    static const char *const topa[] = {"output                       ToPA tables of 8 regions of 512 KiB\n",
                                       "when the wire is too slow    the guest waits\n"};
    static const char *const single[] = {
        "output                       ToPA, one region at a time of 16 regions of 4 KiB\n",
        "when the wire is too slow    tracing pauses, and a gap is recorded\n"};
    static const char *const range[] = {
        "output                       a single range, of the memory of 4 regions of 1024 KiB\n",
        "when the wire is too slow    the newest bytes are kept, and sent on a trigger\n"};
    (void)state;
    shows("rtit_ctl 0x300258c\npt_scheme topa\npolicy stall\npt_region_bytes 524288\npt_regions 8\n", topa, 2);
    shows("rtit_ctl 0x300258c\npt_scheme single\npolicy drop\npt_region_bytes 4096\npt_regions 16\n", single, 2);
    shows("rtit_ctl 0x300258c\npt_scheme range\npolicy ring\npt_region_bytes 1048576\npt_regions 4\n", range, 2);
}

static void nothing(void **state)
{
    (void)state;
    shows("", NULL, 0);
    shows("rtit_ctl 0x0000000000000000\npt no channel\n", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(everything),
        cmocka_unit_test(two_address_spaces),
        cmocka_unit_test(output_and_policy),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
