/* What a function does, by its code: the forms of Linux, of compilers and of linkers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "decode/stack/stack_code.h"

#define CODE 0xffffffff81000000ull

struct code {
    const char *bytes;
    size_t size;
};

static size_t read_code(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
    const struct code *code = context;
    const uint64_t at = address - CODE;
    if (at >= code->size)
        return 0;
    const size_t part = code->size - at < size ? code->size - at : size;
    memcpy(bytes, code->bytes + at, part);
    return part;
}

static void check(enum stack_code expected, const char *bytes, size_t size)
{
    struct code code = {bytes, size};
    assert_int_equal(stack_code_classify(read_code, &code, CODE), expected);
}
#define CHECK(expected, bytes) check(STACK_CODE_##expected, bytes, sizeof(bytes) - 1)

static void thunks_of_ret(void **state)
{
    (void)state;
    CHECK(RETURN, "\xc3\xcc");                                 /* __x86_return_thunk, its_return_thunk */
    CHECK(RETURN, "\xf3\x0f\x1e\xfa\xc3");                     /* after ENDBR64 */
    CHECK(RETURN, "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0\xc3");   /* and a NOP with prefixes */
    CHECK(RETURN, "\xe8\1\0\0\0\xcc\x48\x8d\x64\x24\x08\xc3"); /* srso_return_thunk: CALL, LEA, RET */
    CHECK(RETURN, "\xe8\1\0\0\0\xcc\x48\x83\xc4\x08\xc3");     /* the same with ADD */
    CHECK(RETURN, "\xe9\3\0\0\0\xcc\xcc\xcc\xc3");             /* replaced by a jump to another one */
    CHECK(RETURN, "\xe9\3\0\0\0\xcc\xcc\xcc\xe9\2\0\0\0\x90\x90\xc3");
}

static void indirect_branches(void **state)
{
    (void)state;
    CHECK(INDIRECT, "\xff\xe0\xcc");                         /* JMP *RAX: its_thunk, a retpoline that is off */
    CHECK(INDIRECT, "\x0f\xae\xe8\x41\xff\xe3");             /* after LFENCE */
    CHECK(INDIRECT, "\xff\x25\1\2\3\4");                     /* .plt */
    CHECK(INDIRECT, "\xf3\x0f\x1e\xfa\xf2\xff\x25\1\2\3\4"); /* .plt.sec, with BND */
    CHECK(INDIRECT, "\xe8\1\0\0\0\xcc\x48\x89\x04\x24\xc3"); /* a retpoline of RAX */
    CHECK(INDIRECT, "\xe8\7\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9\x4c\x89\x1c\x24\xc3"); /* of R11 */
}

static void trampolines_of_static_calls(void **state)
{
    (void)state;
    CHECK(INDIRECT, "\xe9\x7f\0\0\0SCT");
    CHECK(INDIRECT, "\xe9\x7f\0\0\0\x0f\xb9\xcc");
    CHECK(RETURN, "\xc3\xcc\x90\x90\x90\x0f\xb9\xcc"); /* one that leads nowhere yet */
    CHECK(FUNCTION, "\xe9\x7f\0\0\0\xcc\xcc\xcc");
    CHECK(FUNCTION, "\xe9\x7f\0\0\0SC");
}

static void functions(void **state)
{
    (void)state;
    CHECK(FUNCTION, "\x55\x48\x89\xe5\xc3");             /* PUSH RBP */
    CHECK(FUNCTION, "\x31\xc0\xc3");                     /* returns 0 */
    CHECK(FUNCTION, "\xe8\1\0\0\0\xcc\x55\x48\x89\xe5"); /* calls a function */
    CHECK(FUNCTION, "\xe9\0\0\0\0\x55");                 /* jumps to one */
    CHECK(FUNCTION, "\xe9\0\0\0\0\xff\xe0");             /* which begins with a jump of its own */
    CHECK(FUNCTION, "\xe9\xfb\xff\xff\xff");             /* jumps to itself */
    CHECK(FUNCTION, "\xeb\x7f");                         /* leads to unknown code */
    CHECK(FUNCTION, "\xe8\x7f\0\0\0");                   /* likewise */
    CHECK(FUNCTION, "\x74\0\xc3");                       /* a conditional branch */
    CHECK(FUNCTION, "\xf3\x0f\x1e");                     /* unknown in the middle */
    CHECK(FUNCTION, "");
    CHECK(FUNCTION, "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xc3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thunks_of_ret), cmocka_unit_test(indirect_branches),
                                       cmocka_unit_test(trampolines_of_static_calls), cmocka_unit_test(functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
