/*
 * One CPU's view of the EPT: the machine's tree, but for a few pages that are mapped in another way for this CPU alone:
 * its local APIC's page, and pages that are open while one instruction is stepped. Shell, private to vmx/.
 *
 * The tables on the way to such a page are private copies; all others are the machine's. What changes in the machine's
 * tree reaches the copies as well. The machine's lock is held for all functions that change a view's tables.
 */
#ifndef VMX_EPT_VIEW_H
#define VMX_EPT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

/* The local APIC's page, and more than one instruction can touch: 16 elements scattered, two pages of code. */
#define EPT_VIEW_PAGES 20u
#define EPT_VIEW_TABLES (3u + 2u * EPT_VIEW_PAGES)

struct ept_private_table {
    uint64_t base; /* of what it covers */
    unsigned level;
    uint64_t *entries;
};

struct ept_view {
    struct ept_view *next;
    uint64_t *pml4;
    uint8_t *memory; /* EPT_VIEW_TABLES pages behind pml4 */
    struct ept_private_table tables[EPT_VIEW_TABLES];
    uint64_t pages[EPT_VIEW_PAGES]; /* mapped in another way than in the machine's tree */
    uint32_t nr_tables, nr_pages;
    uint32_t kept_tables, kept_pages; /* so many stay over ept_view_close */
};

#define EPT_VIEW_BYTES ((1 + EPT_VIEW_TABLES) * 4096u)

/* A view that is like the machine's tree, in EPT_VIEW_BYTES of page-aligned memory in the direct map. */
void ept_view_init(struct ept_view *view, void *memory);

/* EPTP for the VMCS. */
uint64_t ept_view_pointer(const struct ept_view *view);

/* The entry that maps gpa's 4-KByte page in this view; from now on it does not follow the machine's. The caller writes
 * it, and calls ept_invalidate where that takes rights away. NULL: as many pages are open as can be. */
uint64_t *ept_view_open(struct ept_view *view, uint64_t gpa);

/* Is gpa's page open, or kept? */
bool ept_view_has_open(const struct ept_view *view, uint64_t gpa);

/* What is open now stays so until the next ept_view_drop. */
void ept_view_keep(struct ept_view *view);

/* All pages that are not kept are as in the machine's tree again. The caller calls ept_invalidate. */
void ept_view_close(struct ept_view *view);

/* Are all pages that are not kept as in the machine's tree, guarded there, and may be executed besides? */
bool ept_view_is_guarded(const struct ept_view *view);

/* The kept ones as well. */
void ept_view_drop(struct ept_view *view);

/* Drop what this CPU caches of the view (INVEPT, single-context). */
void ept_invalidate(const struct ept_view *view);

/* For vmx/ept.c: an entry of the machine's tree has changed, or many have. */
void ept_views_follow(uint64_t gpa, unsigned level, uint64_t entry);
void ept_views_follow_all(void);

#endif
