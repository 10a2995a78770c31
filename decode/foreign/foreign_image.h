/*
 * The code of a trace that is not a capture: files at the addresses at which they were mapped. The pieces become pages.
 * Bytes that no piece covers are unknown, also within a page. Most traces have one space; perf.data can have several.
 */
#ifndef DECODE_FOREIGN_IMAGE_H
#define DECODE_FOREIGN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/code/code_pages.h"

/* A whole file in memory. */
struct foreign_file {
    uint8_t *bytes;
    size_t size;
};

/* false: error says why. */
bool foreign_file_read(struct foreign_file *file, const char *name, struct error *error);
void foreign_file_free(struct foreign_file *file);

/* A part of a file, mapped at an address. */
struct foreign_piece {
    uint64_t gva, size, offset; /* size bytes of the file, from offset on */
    size_t file;                /* index in the image's files, or FOREIGN_NO_FILE */
    uint64_t space;             /* a CR3; 0: every space without a piece of its own there */
    uint64_t since;             /* the TSC from which on it is mapped; 0: from the start */
};

#define FOREIGN_NO_FILE SIZE_MAX /* the piece hides those before it, and its own bytes are not known */

/* From this trace offset on, pieces with this value of since or a lower one are mapped. */
struct foreign_change {
    uint64_t at, since;
};

struct foreign_image {
    struct foreign_file *files;
    struct foreign_piece *pieces;
    size_t nr_files, nr_pieces;
    uint8_t **memory; /* for pages that are not whole pages of a file */
    size_t nr_memory, memory_room;
    struct foreign_change *changes; /* by offset; before the first one, only pieces from the start are mapped */
    size_t nr_changes, changes_room;
    bool later_wins; /* a later piece replaces earlier ones; else different bytes at one address are an error */
};

/* FILE@VADDR, or FILE:OFFSET[-END]:VADDR for a part of it. false: error says why. */
bool foreign_image_add(struct foreign_image *image, const char *spec, struct error *error);

/* Add the PT_LOAD segments of an ELF file, FILE[@BASE]. With BASE they are moved so that the page of the lowest one is
 * at BASE. */
bool foreign_elf_add(struct foreign_image *image, const char *spec, struct error *error);

/* Read a file: it becomes the image's last one. */
bool foreign_image_add_file(struct foreign_image *image, const char *name, struct error *error);

/* Add a piece of the last file. name is for errors. */
bool foreign_image_add_piece(struct foreign_image *image, struct foreign_piece piece, const char *name,
                             struct error *error);

/* Add a piece of the file piece.file. */
bool foreign_image_add_part(struct foreign_image *image, struct foreign_piece piece, const char *name,
                            struct error *error);

/* Make pages of the pieces. A piece with a time replaces whole pages of earlier pieces from that time on; where it is a
 * page's first piece, it holds from the start. The image must outlive them. false: out of memory, or two pieces have
 * different bytes at one address. */
bool foreign_image_pages(struct foreign_image *image, struct code_pages *pages, struct error *error);

/* The last piece with space 0 that contains the address; NULL: there is none. */
const struct foreign_piece *foreign_image_piece(const struct foreign_image *image, uint64_t gva);

void foreign_image_free(struct foreign_image *image);

#endif
