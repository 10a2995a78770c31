/* Private to decode/names/: struct names and what its files share. */
#ifndef DECODE_NAMES_NAMES_STATE_H
#define DECODE_NAMES_NAMES_STATE_H

#include "decode/names/kernel/kernel_image.h"
#include "decode/names/kernel/kernel_slide.h"
#include "decode/names/names.h"
#include "decode/names/object.h"
#include "decode/names/page_set.h"
#include "decode/names/tasks.h"

/* A hash table of all names. */
struct name_key {
    const char *object, *symbol; /* compared by pointer */
    uint64_t begin;
    struct name *name; /* NULL: the slot is free */
};

struct name_list {
    struct name_key *table; /* size is a power of two */
    size_t size, count;
    struct name **chunks;
    size_t nr_chunks, chunk_room;
};

/* Cache of names_find: the answer holds for trace offsets [from, until). */
struct name_answer {
    const struct code_pages *pages;
    uint64_t space, address, from, until;
    const struct name *name;
};

/* Cache of the page that is mapped at an address, for trace offsets [from, until). */
#define NAME_PAGES (1u << 13)
struct name_page {
    const struct code_pages *pages; /* NULL: the slot is free */
    uint64_t space, gva, from, until;
    const struct page_record *page;     /* NULL: not known */
    const struct page_content *content; /* with the page's bytes; NULL: none, or the page is not known */
};

/* Cache of the process that a space belongs to, for trace offsets [from, until). */
#define NAME_SPACE_TASKS 16u
struct name_space_task {
    const struct code_pages *pages; /* NULL: the slot is free */
    uint64_t cr3, from, until;
    const struct name_task *task;
};

/* A program's code was mapped in a space from this trace offset on. */
struct name_program {
    const struct code_pages *pages;
    uint64_t space, from;
    const struct object *object;
};

struct names {
    struct kernel_image kernel;
    struct kernel_slide slide;
    struct object *kernel_object;      /* NULL: nothing is known of the kernel */
    uint64_t kernel_moved;             /* guest addresses of the kernel are higher than kernel_object's by this */
    uint64_t kernel_begin, kernel_end; /* guest addresses */
    struct page_set pages;
    struct object **objects; /* files that contain pages of the capture */
    size_t nr_objects, object_room;
    struct name_list list;
    struct name_answer *answers;
    struct name_page *recent; /* NAME_PAGES of them */
    struct name_space_task space_tasks[NAME_SPACE_TASKS];
    struct name_program *programs; /* sorted by pages, space, from */
    size_t nr_programs, program_room;
    const struct code_pages **collected; /* CPUs whose records were searched for programs */
    size_t nr_collected, collected_room;
    struct tasks tasks;
    char *kernel_path; /* of the image; NULL: none, or it is not the capture's */
    char **debug;      /* debug files, and directories that were searched for them */
    size_t nr_debug;
    char **about;
    size_t nr_about, about_room;
};

/* Read the files that the options name. false: error says why. */
bool names_read_kernel(struct names *names, const struct names_options *options, struct error *error);
bool names_read_files(struct names *names, const struct names_options *options, struct error *error);

/* Takes ownership of the object. false: out of memory, and the object was freed. */
bool names_keep_object(struct names *names, struct object *object);

/* Add a line to the summary (names_about). false: out of memory. */
bool names_add_line(struct names *names, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The only name with this object, symbol and address; the strings must outlive the list. NULL: out of memory. */
const struct name *name_list_get(struct name_list *list, const char *object, const char *symbol, uint64_t begin,
                                 uint64_t end);
void name_list_free(struct name_list *list);

/* The page that is mapped at the page-aligned address gva of a space, at trace offset at. */
struct name_page names_page_find(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                                 uint64_t gva);

/* The same through the cache. Valid until the next call. */
const struct name_page *names_page_cached(struct names *names, const struct code_pages *pages, uint64_t space,
                                          uint64_t at, uint64_t gva);

/* The object that a page belongs to. */
struct page_origin {
    const struct object *object;       /* NULL: not known */
    uint64_t moved;                    /* guest addresses are higher than the object's by this */
    const struct page_content *shared; /* several objects contain the page, and which one it is cannot be decided */
};

/* Of a known page, at a trace offset in [from, until). */
struct page_origin names_page_origin(const struct names *names, const struct name_page *found, uint64_t at);

/* Note that a program's code was found in a space. */
void names_add_program(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t from,
                       const struct object *object);

#endif
