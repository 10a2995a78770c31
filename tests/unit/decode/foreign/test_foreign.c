/* Images of foreign traces: their syntax, and the pages that they make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/foreign/foreign_image.h"
#include "decode/foreign/foreign_spec.h"

static void check_spec(const char *text, size_t name_size, bool placed, uint64_t gva, uint64_t offset, uint64_t end)
{
    struct foreign_spec spec;
    assert_true(foreign_spec_read(&spec, text));
    assert_int_equal(spec.name_size, name_size);
    assert_int_equal(spec.placed, placed);
    assert_int_equal(spec.gva, gva);
    assert_int_equal(spec.offset, offset);
    assert_true(spec.end == end);
}

static void specs(void **state)
{
    (void)state;
    check_spec("a.bin@0x1000", 5, true, 0x1000, 0, UINT64_MAX);
    check_spec("a.bin@4096", 5, true, 4096, 0, UINT64_MAX);
    check_spec("a.bin@ffffffff81000000", 5, true, 0xffffffff81000000, 0, UINT64_MAX);
    check_spec("a.bin:0x1000", 5, true, 0x1000, 0, UINT64_MAX);
    check_spec("a.bin:0x2:0x1002", 5, true, 0x1002, 2, UINT64_MAX);
    check_spec("a.bin:2-0x10:0x1002", 5, true, 0x1002, 2, 0x10);
    check_spec("a@b:c@0x20", 5, true, 0x20, 0, UINT64_MAX);
    check_spec("a.bin", 5, false, 0, 0, UINT64_MAX);
    check_spec("a.bin@here", 10, false, 0, 0, UINT64_MAX);
    check_spec("a.bin:9-3:0x1000", 9, true, 0x1000, 0, UINT64_MAX);
    struct foreign_spec spec;
    assert_false(foreign_spec_read(&spec, "@0x1000"));
    foreign_spec_part(&spec, "a.pt:0x10-0x20");
    assert_int_equal(spec.name_size, 4);
    assert_int_equal(spec.offset, 0x10);
    assert_int_equal(spec.end, 0x20);
}

/* Add a file with these bytes to the image. */
static void add_file(struct foreign_image *image, const uint8_t *bytes, size_t size)
{
    image->files = realloc(image->files, (image->nr_files + 1) * sizeof(*image->files));
    assert_non_null(image->files);
    image->files[image->nr_files] = (struct foreign_file){malloc(size), size};
    assert_non_null(image->files[image->nr_files].bytes);
    memcpy(image->files[image->nr_files++].bytes, bytes, size);
}

static void add(struct foreign_image *image, const char *bytes, uint64_t gva)
{
    struct error error = {0};
    const size_t size = strlen(bytes);
    add_file(image, (const uint8_t *)bytes, size);
    assert_true(foreign_image_add_piece(image, (struct foreign_piece){.gva = gva, .size = size}, "file", &error));
}

static const struct page_record *page_at(const struct code_pages *pages, uint64_t gva)
{
    return code_pages_find(pages, CODE_SPACE_UNKNOWN, 0, gva).page;
}

/* Two pieces with an unknown byte between them, one of them across two pages. */
static void pages_in_part(void **state)
{
    (void)state;
    struct foreign_image image = {0};
    struct code_pages pages = {0};
    struct error error = {0};
    add(&image, "abc", 0x1ffe);
    add(&image, "ef", 0x2002);
    assert_true(foreign_image_pages(&image, &pages, &error));
    const struct page_record *first = page_at(&pages, 0x1000), *second = page_at(&pages, 0x2000);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(page_at(&pages, 0x3000));
    assert_memory_equal(first->bytes + 0xffe, "ab", 2);
    assert_memory_equal(first->known + 0xffd, "\0\1\1", 3);
    assert_memory_equal(second->bytes, "c\0ef", 4);
    assert_memory_equal(second->known, "\1\0\1\1\0", 5);
    code_pages_free(&pages);
    foreign_image_free(&image);
}

static void whole_pages_are_known(void **state)
{
    (void)state;
    static uint8_t bytes[RECORD_PAGE_SIZE];
    struct foreign_image image = {0};
    struct code_pages pages = {0};
    struct error error = {0};
    add_file(&image, bytes, sizeof(bytes));
    assert_true(
        foreign_image_add_piece(&image, (struct foreign_piece){.gva = 0x5000, .size = sizeof(bytes)}, "file", &error));
    assert_true(foreign_image_pages(&image, &pages, &error));
    assert_non_null(page_at(&pages, 0x5000));
    assert_null(page_at(&pages, 0x5000)->known);
    code_pages_free(&pages);
    foreign_image_free(&image);
}

static void overlaps(void **state)
{
    (void)state;
    struct foreign_image image = {0};
    struct code_pages pages = {0};
    struct error error = {0};
    add(&image, "abcd", 0x1000);
    add(&image, "cde", 0x1002);
    assert_true(foreign_image_pages(&image, &pages, &error));
    assert_memory_equal(page_at(&pages, 0x1000)->bytes, "abcde", 5);
    code_pages_free(&pages);
    add(&image, "X", 0x1003);
    assert_false(foreign_image_pages(&image, &pages, &error));
    assert_int_equal(error.kind, ERROR_IMAGE_TWICE);
    assert_int_equal(error.number, 0x1003);
    foreign_image_free(&image);
}

static void invalid_pieces(void **state)
{
    (void)state;
    struct foreign_image image = {0};
    struct error error = {0};
    add(&image, "abcd", 0x1000);
    assert_false(foreign_image_add_piece(&image, (struct foreign_piece){.size = 3, .offset = 2}, "file", &error));
    assert_int_equal(error.kind, ERROR_IMAGE_SHORT);
    error = (struct error){0};
    assert_false(foreign_image_add_piece(&image, (struct foreign_piece){.gva = UINT64_MAX, .size = 2}, "file", &error));
    assert_int_equal(error.kind, ERROR_IMAGE_ADDRESS);
    foreign_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs),    cmocka_unit_test(pages_in_part),  cmocka_unit_test(whole_pages_are_known),
        cmocka_unit_test(overlaps), cmocka_unit_test(invalid_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
