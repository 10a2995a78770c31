/* Inside of decode/names/: what struct names is. */
#ifndef DECODE_NAMES_NAMES_STATE_H
#define DECODE_NAMES_NAMES_STATE_H

#include "decode/names/kernel_image.h"
#include "decode/names/kernel_slide.h"
#include "decode/names/names.h"
#include "decode/names/object.h"
#include "decode/names/page_set.h"
#include "decode/names/tasks.h"

/* All names, by whose they are and where. */
struct name_key {
    const char *object, *symbol; /* these very texts */
    uint64_t begin;
    struct name *name; /* NULL: the place is free */
};

struct name_list {
    struct name_key *table; /* a power of two */
    size_t size, count;
    struct name **chunks;
    size_t nr_chunks, chunk_room;
};

/* What was asked for lately. */
struct name_answer {
    const struct code_pages *pages;
    uint64_t space, address, from, until;
    const struct name *name;
};

/* Which page stood at an address lately, from this trace offset on. */
#define NAME_PAGES (1u << 13)
struct name_page {
    const struct code_pages *pages; /* NULL: the place is free */
    uint64_t space, gva, from, until;
    const struct page_record *page;     /* NULL: that is not known */
    const struct page_content *content; /* of the same bytes; NULL: none, or there is no page */
};

/* Whose a space was lately. */
#define NAME_OWNERS 16u
struct name_owner {
    const struct code_pages *pages; /* NULL: the place is free */
    uint64_t cr3, from, until;
    const struct name_task *task;
};

/* A program was seen in a space. */
struct name_program {
    const struct code_pages *pages;
    uint64_t space, from;
    const struct object *object;
};

struct names {
    struct kernel_image kernel;
    struct kernel_slide slide;
    struct object *kernel_object; /* NULL: nothing is known of the kernel; its addresses are the guest's less
                                     kernel_moved */
    uint64_t kernel_moved;
    uint64_t kernel_begin, kernel_end; /* of the guest's addresses */
    struct page_set pages;
    struct object **objects; /* of which pages were found */
    size_t nr_objects, object_room;
    struct name_list list;
    struct name_answer *answers;
    struct name_page *recent; /* NAME_PAGES of them */
    struct name_owner owners[NAME_OWNERS];
    struct name_program *programs; /* by pages, space, from */
    size_t nr_programs, program_room;
    const struct code_pages **collected; /* CPUs whose records were looked through for programs */
    size_t nr_collected, collected_room;
    struct tasks tasks;
    char **about;
    size_t nr_about, about_room;
};

/* Read all that the options name. false: error says why. */
bool names_read_kernel(struct names *names, const struct names_options *options, struct error *error);
bool names_read_files(struct names *names, const struct names_options *options, struct error *error);

/* The object is the names' from now on. false: no memory; then it is gone. */
bool names_keep_object(struct names *names, struct object *object);

/* A line for names_about. false: no memory. */
bool names_tell(struct names *names, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The one name of this function there; the texts must stay where they are. NULL: no memory. */
const struct name *name_list_get(struct name_list *list, const char *object, const char *symbol, uint64_t begin,
                                 uint64_t end);
void name_list_free(struct name_list *list);

/* What a page is a part of. object NULL: nobody knows. */
struct name_place {
    const struct object *object;
    uint64_t moved;                     /* its addresses are this much lower than the guest's */
    const struct page_content *content; /* several objects claim it, and nobody knows which one it is; or NULL */
};
/* What stands at the page-aligned address gva of a space at trace offset at. */
struct name_page names_page_look(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                                 uint64_t gva);

/* The same, from what was looked at lately where it is there; good until the next call. */
const struct name_page *names_page(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                                   uint64_t gva);

/* Of a page that is known, at a trace offset from its from on, before its until. */
struct name_place names_place(const struct names *names, const struct name_page *found, uint64_t at);

/* A program's code was found in a space. */
void names_saw_program(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t from,
                       const struct object *object);

#endif
