/* undertrace hardware: each capability by its bit, and differences from what is known about such a processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/report/hardware.h"

struct words {
    uint32_t family, model, leaf7, ebx, ecx, eax1, ebx1;
    uint64_t misc;
    const char *vendor;
};

static const struct words skylake = {6, 0x55, 1u << 25, 0xf, 7, 0x02490002, 0x003f3fff, 1ull << 14, "GenuineIntel"};

/* The printed text for these registers; the caller frees it. */
static char *printed(const struct words *w, unsigned *differences)
{
    char text[1024], *out = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             HARDWARE_FIRST_LINE
             "version 0.1\ncpu_vendor %s\ncpu_family %u\ncpu_model %u\ncpu_stepping 4\ncpu_brand Some CPU @ 3 GHz\n"
             "nr_cpus 8\ncpuid_7_ebx 0x%08x\ncpuid_14_0_ebx 0x%08x\ncpuid_14_0_ecx 0x%08x\ncpuid_14_1_eax 0x%08x\n"
             "cpuid_14_1_ebx 0x%08x\nvmx_misc 0x%016llx\nlog channel e1000\nlog selftest: CPUs: 8\n",
             w->vendor, w->family, w->model, w->leaf7, w->ebx, w->ecx, w->eax1, w->ebx1, (unsigned long long)w->misc);
    const struct record_text whole = {text, strlen(text)};
    assert_true(hardware_is(whole));
    FILE *file = open_memstream(&out, &size);
    *differences = hardware_print(file, whole);
    fclose(file);
    return out;
}

static void shows(const struct words *w, unsigned differences, const char *const *lines)
{
    unsigned found;
    char *out = printed(w, &found);
    for (; *lines; lines++)
        if (!strstr(out, *lines))
            fail_msg("\"%s\" is not in:\n%s", *lines, out);
    assert_int_equal(found, differences);
    free(out);
}

static void test_no_difference(void **state)
{
    (void)state;
    static const char *const lines[] = {"Some CPU @ 3 GHz\n  family 6, model 0x55, stepping 4, 8 CPUs\n",
                                        "known about such processors: Skylake",
                                        "MTC packets                                  yes\n",
                                        "PTWRITE                                      no\n",
                                        "tables of more than one region               yes\n",
                                        "PSB frequencies (a bit each)                 0x3f\n",
                                        "messages of the machine\n  channel e1000\n  selftest: CPUs: 8\n",
                                        "no difference from Skylake\n",
                                        NULL};
    shows(&skylake, 0, lines);
}

/* For one bit at a time, there is one more difference, and its line names the capability. */
static void test_each_difference(void **state)
{
    (void)state;
    struct words w = skylake;
    w.ebx = 7;
    shows(&w, 1,
          (const char *const[]){"MTC packets                                  no   differs from Skylake: yes\n",
                                "1 difference from Skylake\n", NULL});
    w = skylake;
    w.ecx = 5;
    shows(&w, 1,
          (const char *const[]){"tables of more than one region               no   differs from Skylake: yes\n", NULL});
    w = skylake;
    w.eax1 = 0x02490004;
    shows(
        &w, 1,
        (const char *const[]){"IP filter ranges                             0x4   differs from Skylake: 0x2\n", NULL});
    w = skylake;
    w.ebx1 = 0x003f1fff;
    shows(&w, 1,
          (const char *const[]){"CYC thresholds (a bit each)                  0x1fff   differs from Skylake: 0x3fff\n",
                                NULL});
    w = skylake;
    w.misc = 0;
    shows(&w, 1,
          (const char *const[]){"in VMX operation                             no   differs from Skylake: yes\n", NULL});
    w = skylake;
    w.leaf7 = 0;
    shows(&w, 1,
          (const char *const[]){"present                                      no   differs from Skylake: yes\n", NULL});
    for (unsigned bit = 0; bit <= 8; bit++) {
        unsigned differences;
        w = skylake;
        w.ebx ^= 1u << bit;
        free(printed(&w, &differences));
        assert_int_equal(differences, 1);
    }
}

static void test_families(void **state)
{
    (void)state;
    assert_string_equal(hardware_kind_of(0x3d)->name, "Broadwell");
    assert_string_equal(hardware_kind_of(0x7e)->name, "Ice Lake");
    assert_string_equal(hardware_kind_of(0x8f)->name, "Alder Lake");
    assert_int_equal(hardware_kind_of(0xa7)->ebx1, 0x003f1fff);
    assert_int_equal(hardware_kind_of(0xb7)->ebx1, 0x003f003f);
    assert_null(hardware_kind_of(0x8c)); /* Tiger Lake: its CYC thresholds are unknown */
    assert_null(hardware_kind_of(0x01));
}

/* Other vendors use the same family numbers for different processors. */
static void test_nothing_to_compare_with(void **state)
{
    (void)state;
    struct words w = skylake;
    w.vendor = "AuthenticAMD";
    shows(&w, 0, (const char *const[]){"no known values of its Intel PT", NULL});
    w = skylake;
    w.family = 15;
    w.ebx = 0;
    shows(&w, 0, (const char *const[]){"no known values of its Intel PT", NULL});
}

static void test_other_files(void **state)
{
    (void)state;
    assert_false(hardware_is((struct record_text){"undertrace", 10}));
    assert_false(hardware_is((struct record_text){"undertrace hardware 2\n", 22}));
    static const char text[] = HARDWARE_FIRST_LINE "cpu_family 6\nend\n";
    assert_true(hardware_is_whole((struct record_text){text, sizeof(text) - 1}));
    for (size_t cut = 0; cut < sizeof(text) - 1; cut++)
        assert_false(hardware_is_whole((struct record_text){text, cut}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_difference), cmocka_unit_test(test_each_difference),
        cmocka_unit_test(test_families),      cmocka_unit_test(test_nothing_to_compare_with),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
