/* Finding the current task of a kernel: BTF as pahole writes it, in the layouts of different versions; damaged BTF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/names/btf.h"
#include "decode/names/kernel/kernel_tasks.h"
#include "tests/unit/decode/names/elf_fixture.h"

/* linux/btf.h */
enum { INT = 1, PTR, ARRAY, STRUCT, UNION, ENUM, FUNC_PROTO = 13, VAR, DATASEC };

static struct {
    uint32_t head[6];
    uint32_t types[512];
    char names[1024];
} made;
static uint32_t nr_words, nr_types, names_size, bytes[2048];

static uint32_t name(const char *text)
{
    const uint32_t at = names_size;
    if (!*text)
        return 0;
    strcpy(made.names + at, text);
    names_size += (uint32_t)strlen(text) + 1;
    return at;
}

static void word(uint32_t value)
{
    assert_true(nr_words < 512);
    made.types[nr_words++] = value;
}

/* Returns its number. */
static uint32_t type(const char *text, uint32_t kind, uint32_t count, uint32_t size)
{
    word(name(text));
    word(kind << 24 | count);
    word(size);
    return ++nr_types;
}

static void member(const char *text, uint32_t of, uint32_t offset_bytes)
{
    word(name(text));
    word(of);
    word(offset_bytes * 8);
}

static void begin(void)
{
    memset(&made, 0, sizeof(made));
    nr_words = nr_types = 0;
    names_size = 1;
}

/* The header, then types, then names. Returns the size. */
static size_t finish(void)
{
    const uint32_t head[6] = {0xeb9f | 1 << 16, 24, 0, nr_words * 4, nr_words * 4, names_size};
    memcpy(bytes, head, sizeof(head));
    memcpy(bytes + 6, made.types, nr_words * 4);
    memcpy(bytes + 6 + nr_words, made.names, names_size);
    return sizeof(head) + nr_words * 4 + names_size;
}

/* task_struct after types of every kind, since each kind has its own length. Its members are in an anonymous structure,
 * as with randomised layouts. */
static void put_task_struct(uint32_t pid)
{
    const uint32_t number = type("int", INT, 0, 4);
    word(32);
    type("", ARRAY, 0, 0);
    word(number), word(number), word(16);
    type("", ENUM, 2, 4);
    word(name("A")), word(0), word(name("B")), word(1);
    type("", FUNC_PROTO, 1, 0);
    word(0), word(number);
    type("list_head", STRUCT, 1, 16);
    member("pid", number, 4);
    const uint32_t inner = type("", STRUCT, 3, 0x400);
    member("comm", 2, 0x200);
    member("vfork_done", number, 0x180);
    member("pid", number, pid);
    type("task_struct", STRUCT, 4, 0x1000);
    member("list", 5, 0x10);
    member("", number, 0x18); /* an anonymous bitfield */
    member("", inner, 0x400);
    member("tgid", number, 0x400 + pid + 4);
}

/* A variable at an offset of a section. */
static void put_variable(const char *text, uint32_t offset)
{
    const uint32_t variable = type(text, VAR, 0, 1);
    word(1);
    type(".data..percpu", DATASEC, 1, 0x40000);
    word(variable), word(offset), word(8);
}

/* A kernel image with these types. */
static const char *find(struct kernel_tasks *tasks, uint64_t percpu, const char *symbol, uint64_t address)
{
    static uint8_t code[4096];
    static struct made_symbols symbols;
    const size_t btf_size = finish();
    memset(&symbols, 0, sizeof(symbols));
    add_symbol(&symbols, "entry_SYSCALL_64", 0xffffffff81c00080, 16, STT_FUNC | STB_GLOBAL << 4, 1);
    if (symbol)
        add_symbol(&symbols, symbol, address, 8, STT_OBJECT | STB_GLOBAL << 4, 2);
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0xffffffff81000000, code, sizeof(code), 0, 0, 0, 0},
        {".data..percpu", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, percpu, code, 64, 0, 0, 0, 0},
        {".BTF", SHT_PROGBITS, 0, 0, bytes, btf_size, 0, 0, 0, 0},
        symbols_section(&symbols, false, SHT_SYMTAB, 5),
        strings_section(&symbols)};
    size_t size;
    uint8_t *file = make_elf(&size, (struct made_head){.type = ET_EXEC, .machine = EM_X86_64}, sections, 5);
    struct kernel_image kernel = {0};
    struct error error = {0};
    assert_true(kernel_image_parse(&kernel, file, size, "vmlinux", &error));
    const char *lacks = kernel_tasks_find(tasks, &kernel);
    kernel_image_close(&kernel);
    free(file);
    return lacks;
}

static void fields_are(const struct kernel_tasks *tasks, uint64_t current, uint64_t entry)
{
    assert_int_equal(tasks->current, current);
    assert_int_equal(tasks->pid, 0x700);
    assert_int_equal(tasks->comm, 0x600);
    assert_int_equal(tasks->vfork, 0x580);
    assert_int_equal(tasks->entry, entry);
}

static void linux_5_10(void **state)
{
    struct kernel_tasks tasks;
    (void)state;
    begin();
    put_task_struct(0x300);
    assert_null(find(&tasks, 0, "current_task", 0x1fbc0));
    fields_are(&tasks, 0x1fbc0, 0);
}

static void linux_6_1(void **state)
{
    struct kernel_tasks tasks;
    (void)state;
    begin();
    put_task_struct(0x300);
    put_variable("current_task", 0x1fb80);
    assert_null(find(&tasks, 0, NULL, 0));
    fields_are(&tasks, 0x1fb80, 0);
}

/* struct pcpu_hot { union { struct { struct task_struct *current_task; ... }; u8 pad[64]; }; } */
static void linux_6_12(void **state)
{
    struct kernel_tasks tasks;
    (void)state;
    begin();
    put_task_struct(0x300);
    const uint32_t inner = type("", STRUCT, 2, 16);
    member("preempt_count", 1, 0);
    member("current_task", 1, 8);
    const uint32_t both = type("", UNION, 2, 64);
    member("", inner, 0);
    member("pad", 2, 0);
    type("pcpu_hot", STRUCT, 1, 64);
    member("", both, 0);
    put_variable("pcpu_hot", 0x35000);
    assert_null(find(&tasks, 0, NULL, 0));
    fields_are(&tasks, 0x35008, 0);
}

static void linux_6_15(void **state)
{
    struct kernel_tasks tasks;
    (void)state;
    begin();
    put_task_struct(0x300);
    put_variable("current_task", 0x18018);
    assert_null(find(&tasks, 0xffffffff83da5000, NULL, 0));
    fields_are(&tasks, 0xffffffff83dbd018, 0xffffffff81c00080);
}

static void what_lacks(void **state)
{
    struct kernel_tasks tasks;
    (void)state;
    begin();
    put_task_struct(0x300);
    assert_non_null(strstr(find(&tasks, 0, NULL, 0), "current_task"));
    begin();
    type("task_struct", STRUCT, 1, 0x1000);
    member("pid", 0, 4);
    assert_non_null(strstr(find(&tasks, 0, "current_task", 8), "task_struct"));
    begin();
    put_task_struct(0x2f0);
    made.types[nr_words - 1] += 64;
    assert_non_null(strstr(find(&tasks, 0, "current_task", 8), "tgid"));
    begin();
    put_task_struct(0x300);
    made.types[1] = 31u << 24; /* an unknown kind */
    assert_non_null(strstr(find(&tasks, 0, "current_task", 8), "BTF"));
}

/* Truncated at each byte, and with each word changed. */
static void damaged(void **state)
{
    struct btf btf;
    uint64_t offset;
    (void)state;
    begin();
    put_task_struct(0x300);
    put_variable("current_task", 0x1fb80);
    const size_t size = finish();
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        assert_false(btf_open(&btf, copy, cut));
        free(copy);
    }
    for (size_t i = 0; i < size / 4; i++) {
        static const uint32_t values[] = {0, 1, 7, 0xffff, 0x04ffffff, 0x0fffffff, UINT32_MAX};
        for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
            uint8_t *copy = malloc(size);
            memcpy(copy, bytes, size);
            memcpy(copy + 4 * i, &values[j], sizeof(values[j]));
            if (btf_open(&btf, copy, size)) {
                (void)btf_member(&offset, &btf, "task_struct", "vfork_done");
                (void)btf_variable(&offset, &btf, ".data..percpu", "current_task");
                btf_close(&btf);
            }
            free(copy);
        }
    }
}

/* The search in a structure that contains itself ends. */
static void endless(void **state)
{
    struct btf btf;
    uint64_t offset;
    (void)state;
    begin();
    type("task_struct", STRUCT, 8, 8);
    for (int i = 0; i < 8; i++)
        member("", 1, 0);
    assert_true(btf_open(&btf, (const uint8_t *)bytes, finish()));
    assert_false(btf_member(&offset, &btf, "task_struct", "pid"));
    btf_close(&btf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linux_5_10), cmocka_unit_test(linux_6_1),  cmocka_unit_test(linux_6_12),
        cmocka_unit_test(linux_6_15), cmocka_unit_test(what_lacks), cmocka_unit_test(damaged),
        cmocka_unit_test(endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
