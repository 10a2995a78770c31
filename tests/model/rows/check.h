/*
 * The parts of the rows' checker: what a row left, the image's symbols, packets as text, libipt's opinion.
 */
#ifndef ROWS_CHECK_H
#define ROWS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_REPORTS 64u
#define MAX_LINE 160u
#define IMAGE_BASE 0x10000u
#define MAX_MAPPED 4u

/* selftest/branches.h, which takes libipt's name for a packet and so cannot be included everywhere */
struct branches;

struct bytes {
    uint8_t *bytes;
    size_t size;
};

/* A growing list of lines. */
struct lines {
    char **line;
    size_t nr;
};

/* What the ROM wrote of one row (harness.c). */
struct result {
    char name[80];
    uint64_t start, end; /* its code */
    uint64_t ctl;
    uint64_t addr[8];
    unsigned nr_addr;
    struct lines reports; /* "report 5", "fault 13" */
    struct bytes trace;
    struct bytes packet_sizes; /* one byte a packet; set by packets_text */
    bool complete;
};

/* What the row's source says in its first comment. */
struct expectation {
    struct lines lines;
    bool instructions;           /* libipt's instruction decoder must follow; else only its packet decoder */
    bool truth;                  /* and find the truth's branches */
    bool perf;                   /* perf's decoder of the flow must find them */
    bool perf_instructions;      /* and libipt's instructions */
    uint64_t mapped[MAX_MAPPED]; /* where the image is mapped, apart from IMAGE_BASE */
    unsigned nr_mapped;
    uint64_t copied, copied_end, copied_to; /* code that ran elsewhere, by its payloads; 0: there is none */
    uint64_t code32, code32_end;            /* 32-bit code; 0: there is none */
    bool rip;                               /* it is in a segment with base IMAGE_BASE, and the payloads are RIP */
};

/* check.c; they end the process when there is no memory or no such file */
void die(const char *what, const char *why);
struct bytes file_read(const char *path);
FILE *file_create(const char *directory, const char *name, const char *suffix);
void lines_add(struct lines *lines, const char *text);

/* symbols.c */
void symbols_load(const char *elf_path);
/* The labels at the address ("one|other"), or label+offset inside the row, or the address in hex. */
void symbol_text(char *out, size_t room, uint64_t address, const struct result *row);
/* The address of the row's label. */
bool symbol_address(uint64_t *address, const char *name, const struct result *row);

/* packets.c */
/* Have packets_text also append the trace to all.pt, its packets to all.dump. */
void packets_collect(const char *directory);
/* The trace's packets without those that the ROM makes before the row starts. false: *lines ends in the reason. */
bool packets_text(struct lines *lines, struct result *row);

/* libipt.c */
bool libipt_packets_agree(const struct result *row, char *why, size_t room);
/* found: what libipt follows; free its lists. */
bool libipt_instructions_agree(const struct result *row, const struct expectation *expected, const char *image_path,
                               const struct branches *truth, struct branches *found, char *why, size_t room);

/* truth.c; free the list */
struct branches row_truth(const struct result *row, const struct expectation *expected, const struct bytes *run);

/* perf.c; found: libipt's, whose instructions perf must find as well */
void perf_flow_write(FILE *flows, const char *directory, const struct result *row, const struct expectation *expected,
                     const struct branches *truth, const struct branches *found);

#endif
