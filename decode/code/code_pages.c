#include "decode/code/code_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/code_alias.h"
#include "decode/code/code_seen.h"
#include "pt/rtit.h"

static int number_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_time(const void *left, const void *right)
{
    const struct page_version *a = left, *b = right;
    int by_from = number_order(a->from, b->from), by_number = number_order(a->number, b->number);
    return by_from ? by_from : by_number ? by_number : number_order(a->file_offset, b->file_offset);
}

static int compare_page(const void *left, const void *right)
{
    const struct page_version *a = left, *b = right;
    int by_gva = number_order(a->gva, b->gva);
    return by_gva ? by_gva : compare_time(left, right);
}

/* Records of one CPU come in the order of their numbers, those of several in any order. */
static int compare_record(const void *left, const void *right)
{
    const struct page_record *a = left, *b = right;
    int by_number = number_order(a->number, b->number);
    return by_number ? by_number : number_order(a->file_offset, b->file_offset);
}

/* A linear address and the physical page that it stands for at the moment. */
struct address {
    uint64_t gva, gpa;
    bool named;  /* by a record of the decoded CPU itself */
    size_t rank; /* the smallest of an address counts: records in the order of time, then what was inferred */
};

static int compare_address(const void *left, const void *right)
{
    const struct address *a = left, *b = right;
    return number_order(a->gva, b->gva);
}

static int compare_rank(const void *left, const void *right)
{
    const struct address *a = left, *b = right;
    int by_gva = number_order(a->gva, b->gva);
    return by_gva ? by_gva : number_order(a->rank, b->rank);
}

/* The addresses at the beginning: each with the physical page of its first record. Root pages are told apart by their
 * address, which no guest uses. */
static size_t first_addresses(struct address *addresses, const struct page_record *records, size_t count,
                              const struct aliases *aliases)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < count; i++, n++)
        addresses[n] = (struct address){.gva = records[i].gva, .gpa = records[i].gpa, .rank = n};
    for (size_t i = 0; i < aliases->count; i++, n++)
        addresses[n] = (struct address){.gva = aliases->items[i].gva, .gpa = aliases->items[i].gpa, .rank = n};
    qsort(addresses, n, sizeof(*addresses), compare_rank);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || addresses[kept - 1].gva != addresses[i].gva)
            addresses[kept++] = addresses[i];
    return kept;
}

static bool add_version(struct code_pages *pages, size_t *room, uint64_t gva, const struct page_record *record)
{
    if (pages->count == *room) {
        *room = *room ? *room * 2 : 1024;
        struct page_version *more = realloc(pages->by_time, *room * sizeof(*more));
        if (!more)
            return false;
        pages->by_time = more;
    }
    pages->by_time[pages->count++] = (struct page_version){.gva = gva,
                                                           .from = record->from,
                                                           .number = record->number,
                                                           .file_offset = record->file_offset,
                                                           .base = record->base,
                                                           .bytes = record->bytes};
    return true;
}

/* Does the record say for which physical page its linear address stands? */
static bool names_address(const struct page_record *record, const struct address *address)
{
    return !record->foreign || !address->named || record->gva >> 63;
}

/* What a record changes: its own address, and all others that stand for the same physical page. */
static bool apply_record(struct code_pages *pages, size_t *room, const struct page_record *record,
                         struct address *addresses, size_t nr_addresses, const struct aliases *aliases)
{
    struct address *own =
        bsearch(&(struct address){.gva = record->gva}, addresses, nr_addresses, sizeof(*addresses), compare_address);
    if (names_address(record, own))
        own->gpa = record->gpa;
    own->named = own->named || !record->foreign;
    if (own->gpa == record->gpa && !add_version(pages, room, record->gva, record))
        return false;
    if (record->root || record->base)
        return true;
    for (size_t i = aliases_first(aliases, record->gpa); i < aliases->count && aliases->items[i].gpa == record->gpa;
         i++) {
        const struct address *other = bsearch(&(struct address){.gva = aliases->items[i].gva}, addresses, nr_addresses,
                                              sizeof(*addresses), compare_address);
        if (other != own && other->gpa == record->gpa && !add_version(pages, room, other->gva, record))
            return false;
    }
    return true;
}

/* by_time is complete: the other order, and what is new in each version. */
static bool finish_versions(struct code_pages *pages)
{
    pages->by_page = malloc((pages->count + 1) * sizeof(struct page_version));
    if (!pages->by_page)
        return false;
    if (pages->count == 0)
        return true;
    qsort(pages->by_time, pages->count, sizeof(struct page_version), compare_page);
    for (size_t i = 0; i < pages->count; i++) {
        struct page_version *version = &pages->by_time[i];
        version->nothing_new =
            i == 0 || version[-1].gva != version->gva || !memcmp(version[-1].bytes, version->bytes, RECORD_PAGE_SIZE);
    }
    memcpy(pages->by_page, pages->by_time, pages->count * sizeof(struct page_version));
    qsort(pages->by_time, pages->count, sizeof(struct page_version), compare_time);
    return true;
}

bool code_pages_build(struct code_pages *pages, struct page_record *records, size_t count)
{
    struct aliases aliases;
    size_t room = 0;
    *pages = (struct code_pages){0};
    if (count)
        qsort(records, count, sizeof(*records), compare_record);
    if (!aliases_find(&aliases, records, count))
        return false;
    struct address *addresses = malloc((count + aliases.count + 1) * sizeof(*addresses));
    bool good = addresses != NULL;
    if (good) {
        size_t nr_addresses = first_addresses(addresses, records, count, &aliases);
        for (size_t i = 0; i < count && good; i++)
            good = apply_record(pages, &room, &records[i], addresses, nr_addresses, &aliases);
    }
    good = good && finish_versions(pages);
    free(addresses);
    aliases_free(&aliases);
    if (!good)
        code_pages_free(pages);
    return good;
}

/* Does the record say something about this CPU's code? */
static bool take_record(struct page_record *to, const struct capture_record *record, uint16_t cpu,
                        const struct code_seen *seen)
{
    struct record_page page;
    uint64_t from;
    if (record->header.kind != RECORD_PAGE)
        return false;
    memcpy(&page, record->payload, sizeof(page));
    bool foreign = record->header.cpu != cpu, root = page.flags & RECORD_PAGE_ROOT;
    /* The hypervisor's own code never changes. */
    uint64_t number = root ? 0 : page.number;
    if (!code_seen_from(&from, seen, number))
        return false;
    *to = (struct page_record){
        .gva = page.gva & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .gpa = page.gpa & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .number = number,
        .from = number == 0 && !foreign ? record->header.trace_offset : from,
        .file_offset = record->events_offset + sizeof(record->header) + sizeof(page),
        .bytes = record->payload + sizeof(page),
        .root = root,
        .foreign = foreign,
    };
    return true;
}

/* The same page at the IP of a code segment with a base. false: it has none, or none that pages can tell. */
static bool rebase_record(struct page_record *to, const struct capture_record *record)
{
    struct record_page page;
    memcpy(&page, record->payload, sizeof(page));
    if (page.code_base == 0 || page.code_base % RECORD_PAGE_SIZE != 0 || page.code_base > to->gva)
        return false;
    to[1] = to[0];
    to[1].gva -= page.code_base;
    to[1].base = page.code_base;
    return true;
}

/* Do packets tell IPs without the code segment's base? */
static bool has_plain_ips(const struct capture *capture)
{
    uint64_t ecx;
    return text_find_number(&ecx, capture->hello, "cpuid_14_0_ecx") && !(ecx & CPUID_14_ECX_LIP);
}

/* The records that count, in memory that the caller frees. NULL: no memory. */
static struct page_record *collect_records(size_t *count, const struct capture *capture, uint16_t cpu)
{
    struct code_seen seen;
    bool plain_ips = has_plain_ips(capture);
    struct page_record *records = malloc(2 * (capture->nr_records + 1) * sizeof(*records));
    *count = 0;
    if (!records || !code_seen_collect(&seen, capture, cpu)) {
        free(records);
        return NULL;
    }
    for (size_t i = 0; i < capture->nr_records; i++)
        if (take_record(&records[*count], &capture->records[i], cpu, &seen))
            *count += plain_ips && rebase_record(&records[*count], &capture->records[i]) ? 2 : 1;
    code_seen_free(&seen);
    return records;
}

bool code_pages_collect(struct code_pages *pages, const struct capture *capture, uint16_t cpu, struct error *error)
{
    size_t count;
    struct page_record *records = collect_records(&count, capture, cpu);
    bool good = records && code_pages_build(pages, records, count);
    free(records);
    if (good && asprintf(&pages->file, "%s/events.bin", capture->directory) >= 0)
        return true;
    if (good) {
        pages->file = NULL;
        code_pages_free(pages);
    }
    return error_set(error, ERROR_MEMORY, 0, "the code pages");
}

void code_pages_free(struct code_pages *pages)
{
    free(pages->by_time);
    free(pages->by_page);
    free(pages->file);
    *pages = (struct code_pages){0};
}

const struct page_version *code_pages_pick(const struct code_pages *pages, size_t first, uint64_t at, size_t *next)
{
    const struct page_version *version = &pages->by_page[first];
    size_t i = first;
    while (i < pages->count && pages->by_page[i].gva == pages->by_page[first].gva) {
        if (pages->by_page[i].from <= at)
            version = &pages->by_page[i];
        i++;
    }
    *next = i;
    return version;
}

/* The first version of an address in by_page; count: it has none. */
static size_t page_first(const struct code_pages *pages, uint64_t gva)
{
    size_t low = 0, high = pages->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pages->by_page[middle].gva < gva)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pages->count && pages->by_page[low].gva == gva ? low : pages->count;
}

static const struct page_version *page_at(const struct code_pages *pages, uint64_t at, uint64_t gva)
{
    size_t first = page_first(pages, gva), next;
    return first == pages->count ? NULL : code_pages_pick(pages, first, at, &next);
}

/* The address may be another page's as well, whose code has no base. And an exit can tell an IP in a segment that only
 * the record behind it names. */
uint64_t code_pages_linear(const struct code_pages *pages, uint64_t at, uint64_t ip)
{
    uint64_t gva = ip - ip % RECORD_PAGE_SIZE, base = 0;
    for (size_t i = page_first(pages, gva); i < pages->count && pages->by_page[i].gva == gva; i++)
        if (pages->by_page[i].base && (pages->by_page[i].from <= at || !base))
            base = pages->by_page[i].base;
    return ip + base;
}

size_t code_pages_read(const struct code_pages *pages, uint64_t at, uint64_t gva, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        uint64_t offset = (gva + done) % RECORD_PAGE_SIZE;
        const struct page_version *page = page_at(pages, at, gva + done - offset);
        size_t part = RECORD_PAGE_SIZE - offset < size - done ? RECORD_PAGE_SIZE - offset : size - done;
        if (!page)
            break;
        memcpy(bytes + done, page->bytes + offset, part);
        done += part;
    }
    return done;
}
