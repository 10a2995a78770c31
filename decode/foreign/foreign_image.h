/*
 * Code that did not come with a trace: files as they stood in memory. Pieces of a linear address space become pages;
 * what no piece covers is not known, also within a page. Most traces have one space; perf.data can have several.
 */
#ifndef DECODE_FOREIGN_IMAGE_H
#define DECODE_FOREIGN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/code/code_pages.h"

/* A file, whole and in memory. */
struct foreign_file {
    uint8_t *bytes;
    size_t size;
};

/* false: error says why. */
bool foreign_file_read(struct foreign_file *file, const char *name, struct error *error);
void foreign_file_free(struct foreign_file *file);

/* What stands where. */
struct foreign_piece {
    uint64_t gva, size, offset; /* size bytes from offset of the file on */
    size_t file;                /* of the image's */
    uint64_t space;             /* whose: a CR3; 0: all that have nothing of their own there */
};

struct foreign_image {
    struct foreign_file *files;
    struct foreign_piece *pieces;
    size_t nr_files, nr_pieces;
    uint8_t **memory; /* of the pages that are not whole pages of a file */
    size_t nr_memory, memory_room;
    bool later_wins; /* where pieces say different things of an address; else that is an error */
};

/* FILE@VADDR, or FILE:OFFSET[-END]:VADDR for a part of it. false: error says why. */
bool foreign_image_add(struct foreign_image *image, const char *spec, struct error *error);

/* The PT_LOAD segments of an ELF file that have bytes in it; FILE[@BASE]: the first one's page at BASE, others as far
 * from it as the file says. */
bool foreign_elf_add(struct foreign_image *image, const char *spec, struct error *error);

/* For what adds pieces: read a file, which is the last one then; and where a part of it stands. */
bool foreign_image_add_file(struct foreign_image *image, const char *name, struct error *error);
bool foreign_image_add_piece(struct foreign_image *image, struct foreign_piece piece, const char *name,
                             struct error *error);

/* The same of any file: piece.file is one of the image's. */
bool foreign_image_add_part(struct foreign_image *image, struct foreign_piece piece, const char *name,
                            struct error *error);

/* The pieces as pages; they need the image as long as they are used. false: no memory, or two pieces say different
 * things of one address. */
bool foreign_image_pages(struct foreign_image *image, struct code_pages *pages, struct error *error);

/* The last piece of all spaces that the address is in; NULL: there is none. */
const struct foreign_piece *foreign_image_piece(const struct foreign_image *image, uint64_t gva);

void foreign_image_free(struct foreign_image *image);

#endif
