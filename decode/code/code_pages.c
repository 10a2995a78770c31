#include "decode/code/code_pages.h"

#include <stdlib.h>
#include <string.h>

#define CR3_TABLE 0x000ffffffffff000ull
#define CR3_PAE_TABLE 0x000fffffffffffe0ull

static int compare_spaces(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Only a page-directory-pointer table of PAE paging may begin elsewhere than at a page boundary. */
static bool find_pae(struct code_pages *pages, const struct code_map *maps, size_t count)
{
    pages->pae = malloc((count + 1) * sizeof(*pages->pae));
    if (!pages->pae)
        return false;
    for (size_t i = 0; i < count; i++)
        if (maps[i].space & ~CR3_TABLE)
            pages->pae[pages->nr_pae++] = maps[i].space;
    if (pages->nr_pae)
        qsort(pages->pae, pages->nr_pae, sizeof(*pages->pae), compare_spaces);
    return true;
}

uint64_t code_pages_space(const struct code_pages *pages, uint64_t cr3)
{
    if (pages->nr_maps == 0)
        return CODE_SPACE_UNKNOWN;
    cr3 &= CR3_PAE_TABLE;
    bool pae =
        cr3 & ~CR3_TABLE && pages->nr_pae && bsearch(&cr3, pages->pae, pages->nr_pae, sizeof(cr3), compare_spaces);
    return pae ? cr3 : cr3 & CR3_TABLE;
}

bool code_pages_build(struct code_pages *pages, struct page_record *records, size_t count, struct code_map *maps,
                      size_t nr_maps)
{
    *pages = (struct code_pages){
        .records = records, .count = count, .maps = maps, .nr_maps = nr_maps, .shared_from = CODE_SHARED_FROM};
    for (size_t i = 0; i < nr_maps; i++)
        pages->mappings += maps[i].wide.pages ? 0 : maps[i].nr_runs;
    bool good = find_pae(pages, maps, nr_maps);
    for (size_t i = 0; i < count && good; i++) {
        struct page_record *record = &records[i];
        record->earliest = record->foreign ? record->earliest : record->from;
        record->space = record->root ? CODE_SPACE_ROOT : code_pages_space(pages, record->space);
    }
    if (good && aliases_find(&pages->aliases, records, count) && code_memory_build(&pages->memory, records, count) &&
        code_facts_build(&pages->facts, records, count, maps, nr_maps))
        return true;
    code_pages_free(pages);
    return false;
}

void code_pages_free(struct code_pages *pages)
{
    code_facts_free(&pages->facts);
    code_memory_free(&pages->memory);
    aliases_free(&pages->aliases);
    free(pages->records);
    free(pages->maps);
    free(pages->pae);
    free(pages->file);
    code_segments_free(&pages->segments);
    *pages = (struct code_pages){0};
}

/* The same of one page: up to its end, or to a byte that is not known. */
static size_t read_page(const struct page_record *page, uint64_t offset, uint8_t *bytes, size_t size)
{
    const uint8_t *unknown = page->known ? memchr(page->known + offset, 0, size) : NULL;
    const size_t part = unknown ? (size_t)(unknown - (page->known + offset)) : size;
    memcpy(bytes, page->bytes + offset, part);
    return part;
}

size_t code_pages_read(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva, uint8_t *bytes,
                       size_t size)
{
    size_t done = 0;
    while (done < size) {
        uint64_t offset = (gva + done) % RECORD_PAGE_SIZE;
        const struct page_record *page = code_pages_find(pages, space, at, gva + done - offset).page;
        size_t part = RECORD_PAGE_SIZE - offset < size - done ? RECORD_PAGE_SIZE - offset : size - done;
        const size_t read = page ? read_page(page, offset, bytes + done, part) : 0;
        done += read;
        if (read < part || !page)
            break;
    }
    return done;
}
