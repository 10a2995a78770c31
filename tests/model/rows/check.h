/*
 * The parts of the rows' checker: what a row left, the image's symbols, packets as text, libipt's opinion.
 */
#ifndef ROWS_CHECK_H
#define ROWS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_REPORTS 64u
#define MAX_LINE 160u
#define IMAGE_BASE 0x10000u

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
    bool instructions; /* libipt's instruction decoder must follow; else its packet decoder alone */
    bool truth;        /* and find the truth's branches */
};

/* check.c; they end the process when there is no memory or no such file */
void die(const char *what, const char *why);
struct bytes file_read(const char *path);
void lines_add(struct lines *lines, const char *text);

/* symbols.c */
void symbols_load(const char *elf_path);
/* The labels at the address ("one|other"), or label+offset inside the row, or the address in hex. */
void symbol_text(char *out, size_t room, uint64_t address, const struct result *row);

/* packets.c */
/* Have packets_text also append the trace to NAME.pt, its packets to NAME.dump. */
void packets_collect(const char *name);
/* The trace's packets without those that the ROM makes before the row starts. false: *lines ends in the reason. */
bool packets_text(struct lines *lines, struct result *row);

/* libipt.c */
bool libipt_packets_agree(const struct result *row, char *why, size_t room);
/* truth: every branch of the run, of which those that touch the row's code are compared; NULL: none are. */
bool libipt_instructions_agree(const struct result *row, const struct bytes *image, const char *image_path,
                               const struct bytes *truth, char *why, size_t room);

#endif
