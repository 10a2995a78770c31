/*
 * One CPU's view of the EPT: the machine's tree, except for a few pages that are mapped differently for this CPU only:
 * its local APIC's page, and pages that are open while one instruction is stepped. Shell, private to vmx/.
 *
 * The tables on the way to such a page are private copies; all others are the machine's. Changes of the machine's tree
 * are copied. The machine's lock is held for all functions that change a view's tables.
 */
#ifndef VMX_EPT_VIEW_H
#define VMX_EPT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

/* The local APIC's page, and what one instruction can access: 16 scattered elements, two pages of code. */
#define EPT_VIEW_PAGES 20u
#define EPT_VIEW_TABLES (3u + 2u * EPT_VIEW_PAGES)

struct ept_private_table {
    uint64_t base; /* the first address that it maps */
    unsigned level;
    uint64_t *entries;
};

struct ept_view {
    struct ept_view *next;
    uint64_t *pml4;
    uint8_t *memory; /* EPT_VIEW_TABLES pages, after pml4 */
    struct ept_private_table tables[EPT_VIEW_TABLES];
    uint64_t pages[EPT_VIEW_PAGES]; /* mapped differently from the machine's tree */
    uint32_t nr_tables, nr_pages;
    uint32_t kept_tables, kept_pages; /* so many remain after ept_view_close */
};

#define EPT_VIEW_BYTES ((1 + EPT_VIEW_TABLES) * 4096u)

/* Make a view equal to the machine's tree, in EPT_VIEW_BYTES of page-aligned memory in the direct map. */
void ept_view_init(struct ept_view *view, void *memory);

/* EPTP for the VMCS. */
uint64_t ept_view_pointer(const struct ept_view *view);

/* The entry that maps gpa's 4-KByte page in this view. From now on it does not follow the machine's. The caller writes
 * it, and calls ept_invalidate if that takes rights away. NULL: too many pages are open. */
uint64_t *ept_view_open(struct ept_view *view, uint64_t gpa);

/* Is gpa's page open, or kept? */
bool ept_view_has_open(const struct ept_view *view, uint64_t gpa);

/* The pages that are open now remain open until the next ept_view_drop. */
void ept_view_keep(struct ept_view *view);

/* Close all pages that are not kept: map them as the machine's tree does. The caller calls ept_invalidate. */
void ept_view_close(struct ept_view *view);

/* Are all open pages that are not kept guarded in the machine's tree, and equal to it except that they are executable?
 */
bool ept_view_is_guarded(const struct ept_view *view);

/* Close all pages, the kept ones as well. */
void ept_view_drop(struct ept_view *view);

/* Invalidate what this CPU caches of the view (INVEPT, single-context). */
void ept_invalidate(const struct ept_view *view);

/* For vmx/ept.c: an entry of the machine's tree has changed; many have. */
void ept_views_follow(uint64_t gpa, unsigned level, uint64_t entry);
void ept_views_follow_all(void);

#endif
