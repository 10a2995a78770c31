/*
 * Internal to code_space.c and code_infer.c: what the records say about one address at one trace offset. Pure.
 */
#ifndef DECODE_CODE_QUERY_H
#define DECODE_CODE_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/code/code_pages.h"

/* An address in a space at a trace offset. What is found remains valid until trace offset until. */
struct query {
    const struct code_pages *pages;
    uint64_t space, at, gva;
    uint64_t until;
    uint64_t below; /* unless 0: of the facts that begin at `at`, only those with a lower record number count */
};

/* What one record says about the address. */
struct said {
    const struct fact *fact; /* NULL: nothing */
    bool present;
    uint64_t gpa;
};

/* The lists with the facts of an address: pages, maps, and maps of large stretches, with the same order. */
#define NR_LISTS 3u
struct lists {
    const struct fact_list *lists[NR_LISTS];
    uint64_t places[NR_LISTS], group;
};

enum direction { BACK, ON };
enum wanted { ANY, NAMING };

struct query query_of(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva);

/* The lists of one space's records, or of those of all guests. */
struct lists query_space(const struct query *query, uint64_t space);
struct lists query_all(const struct query *query);

/* Lists of pages and maps that are ordered by group. */
struct lists query_lists(const struct query *query, const struct fact_list *pages, const struct fact_list *maps,
                         uint64_t group);

/* The newest fact at the moment, or the first later one; with wanted, the newest or first that names a page. */
struct said query_find(struct query *query, const struct lists *lists, enum direction direction, enum wanted wanted);

/* The fact that is valid at the moment: the newest one that was recorded at the change itself. *newer: a newer one that
 * was recorded some time after the change. */
struct said query_recorded(struct query *query, const struct lists *lists, struct said *newer);

/* The fact that is valid right before a mapping begins. It stays valid until the mapping was read. */
struct said query_before(struct query *query, const struct lists *lists, const struct fact *fact);

/* What a fact says about the address, if anything. */
struct said query_say(const struct query *query, const struct fact *fact);

/* Before this trace offset it does not hold. */
uint64_t query_earliest(const struct fact *fact);

/* What physical memory of the guest held. NULL: it was never executed. */
const struct page_record *query_contents(struct query *query, uint64_t gpa);
bool query_same(const struct page_record *a, const struct page_record *b);

/* Candidates: pages that had been sent already are preferred to those that were sent later. */
struct choice {
    const struct page_record *now, *later;
    bool now_differ, later_differ;
};

/* Memory whose contents were never executed is no candidate. */
void choice_add(struct query *query, struct choice *choice, uint64_t gpa);
bool choice_empty(const struct choice *choice);

/* NULL: there is none, or they differ. */
const struct page_record *choice_made(const struct choice *choice);

/* code_infer.c: add all candidates that follow from the mappings of other spaces, and from large pages. */
void infer_candidates(struct query *query, struct choice *choice);

/* Is it certain enough that the space had mapped this page here before a record shows it? */
bool infer_confirms(struct query *query, uint64_t gpa);
void infer_aliases(struct query *query, struct choice *choice);

#endif
