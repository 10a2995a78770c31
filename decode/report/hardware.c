#include "decode/report/hardware.h"

#include <inttypes.h>
#include <string.h>

#include "decode/report/number_text.h"

#define NAME "  %-44s "
#define VMX_MISC_PT_IN_VMX (1ull << 14)
#define CPUID_7_EBX_PT (1u << 25)

/* SDM Vol. 2A, CPUID leaf 14H, sub-leaf 0. */
struct capability {
    uint32_t bit;
    const char *name;
};
static const struct capability of_ebx[] = {
    {1u << 0, "CR3 filter"},
    {1u << 1, "PSB frequency, cycle-accurate mode (CYC)"},
    {1u << 2, "IP filters, TraceStop"},
    {1u << 3, "MTC packets"},
    {1u << 4, "PTWRITE"},
    {1u << 5, "power events"},
    {1u << 6, "PSB and PMI preservation"},
    {1u << 7, "event trace"},
    {1u << 8, "TNT can be disabled"},
};
static const struct capability of_ecx[] = {
    {1u << 0, "tables of regions (ToPA)"},
    {1u << 1, "tables of more than one region"},
    {1u << 2, "single range"},
    {1u << 3, "output to trace transport"},
    {1u << 31, "IP payloads are linear addresses (LIP)"},
};

struct comparison {
    FILE *file;
    const struct hardware_kind *kind; /* NULL: there is nothing to compare with */
    unsigned differences;
};

static uint64_t number_of(struct record_text text, const char *name)
{
    uint64_t number = 0;
    return text_find_number(&number, text, name) ? number : 0;
}

static void print_difference(struct comparison *c, bool differs, const char *known)
{
    if (c->kind && differs) {
        fprintf(c->file, "   differs from %s: %s", c->kind->name, known);
        c->differences++;
    }
    fputc('\n', c->file);
}

static void print_flag(struct comparison *c, const char *name, bool is, bool known)
{
    fprintf(c->file, NAME "%s", name, is ? "yes" : "no");
    print_difference(c, is != known, known ? "yes" : "no");
}

static void print_flags(struct comparison *c, const struct capability *list, size_t nr, uint64_t is, uint32_t known)
{
    for (size_t i = 0; i < nr; i++)
        print_flag(c, list[i].name, is & list[i].bit, known & list[i].bit);
}

static void print_word(struct comparison *c, const char *name, uint64_t is, uint32_t known)
{
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx32, known);
    fprintf(c->file, NAME "0x%" PRIx64, name, is);
    print_difference(c, is != known, text);
}

static void print_pt(struct comparison *c, struct record_text text)
{
    const struct hardware_kind none = {0}, *known = c->kind ? c->kind : &none;
    const uint64_t eax1 = number_of(text, "cpuid_14_1_eax"), ebx1 = number_of(text, "cpuid_14_1_ebx");
    const bool there = number_of(text, "cpuid_7_ebx") & CPUID_7_EBX_PT;
    fprintf(c->file, "Intel PT\n");
    print_flag(c, "present", there, c->kind != NULL);
    if (!there)
        return;
    print_flag(c, "in VMX operation", number_of(text, "vmx_misc") & VMX_MISC_PT_IN_VMX, known->in_vmx_operation);
    print_flags(c, of_ebx, sizeof(of_ebx) / sizeof(of_ebx[0]), number_of(text, "cpuid_14_0_ebx"), known->ebx);
    print_flags(c, of_ecx, sizeof(of_ecx) / sizeof(of_ecx[0]), number_of(text, "cpuid_14_0_ecx"), known->ecx);
    print_word(c, "IP filter ranges", eax1 & 7, known->eax1 & 7);
    print_word(c, "MTC periods (a bit each)", eax1 >> 16, known->eax1 >> 16);
    print_word(c, "CYC thresholds (a bit each)", ebx1 & 0xffff, known->ebx1 & 0xffff);
    print_word(c, "PSB frequencies (a bit each)", ebx1 >> 16, known->ebx1 >> 16);
}

static void print_found(FILE *file, struct record_text value)
{
    text_write_plain(file, value);
}

static void print_machine(struct comparison *c, struct record_text text)
{
    struct record_text value;
    if (text_find(&value, text, "cpu_brand"))
        print_found(c->file, value);
    else
        fputs("unnamed processor", c->file);
    fprintf(c->file, "\n  family %" PRIu64 ", model 0x%" PRIx64 ", stepping %" PRIu64 ", %" PRIu64 " CPUs\n",
            number_of(text, "cpu_family"), number_of(text, "cpu_model"), number_of(text, "cpu_stepping"),
            number_of(text, "nr_cpus"));
    if (text_find(&value, text, "cpu_vendor") && text_equals(value, "GenuineIntel") &&
        number_of(text, "cpu_family") == 6)
        c->kind = hardware_kind_of((uint32_t)number_of(text, "cpu_model"));
    if (c->kind)
        fprintf(c->file, "  compared with what is known about such processors: %s\n", c->kind->name);
    else
        fputs("  no known values of its Intel PT to compare with\n", c->file);
}

static void print_log(FILE *file, struct record_text text)
{
    struct text_line line;
    size_t position = 0;
    fputs("messages of the machine\n", file);
    while (text_next(&line, text, &position))
        if (text_equals(line.name, "log")) {
            fputs("  ", file);
            text_write_plain(file, line.value);
            fputc('\n', file);
        }
}

/* Print the lines of the self-test's guest. Returns the number of wrong results. */
static unsigned print_guest(FILE *file, struct record_text text)
{
    struct text_line line;
    unsigned wrong = 0, nr = 0;
    for (size_t position = 0; text_next(&line, text, &position);) {
        const bool is_wrong = text_equals(line.name, HARDWARE_GUEST_WRONG);
        if (!is_wrong && !text_equals(line.name, HARDWARE_GUEST))
            continue;
        if (nr++ == 0)
            fputs("the self-test's guest, whose branches are known\n", file);
        fprintf(file, "  %s", is_wrong ? "WRONG: " : "");
        text_write_plain(file, line.value);
        fputc('\n', file);
        wrong += is_wrong;
    }
    return wrong;
}

unsigned hardware_print(FILE *file, struct record_text text)
{
    struct comparison c = {file, NULL, 0};
    print_machine(&c, text);
    print_pt(&c, text);
    print_log(file, text);
    const unsigned wrong = print_guest(file, text);
    if (c.differences)
        fprintf(file, "%u difference%s from %s\n", c.differences, plural(c.differences), c.kind->name);
    else if (c.kind)
        fprintf(file, "no difference from %s\n", c.kind->name);
    return c.differences + wrong;
}

bool hardware_is(struct record_text text)
{
    const size_t size = sizeof(HARDWARE_FIRST_LINE) - 1;
    return text.size >= size && memcmp(text.bytes, HARDWARE_FIRST_LINE, size) == 0;
}

bool hardware_is_whole(struct record_text text)
{
    const size_t size = sizeof(HARDWARE_LAST_LINE) - 1;
    return text.size >= size && memcmp(text.bytes + text.size - size, HARDWARE_LAST_LINE, size) == 0;
}

void hardware_write(FILE *file, const struct capture *capture)
{
    fputs(HARDWARE_FIRST_LINE, file);
    fwrite(capture->hello.bytes, 1, capture->hello.size, file);
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        if (record->header.kind == RECORD_LOG)
            fprintf(file, "log %.*s\n", (int)record->header.length, (const char *)record->payload);
    }
}
