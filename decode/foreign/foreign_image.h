/*
 * Code that did not come with a trace: files as they stood in memory. Pieces of one linear address space become pages;
 * what no piece covers is not known, also within a page.
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
};

struct foreign_image {
    struct foreign_file *files;
    struct foreign_piece *pieces;
    size_t nr_files, nr_pieces;
    uint8_t *memory; /* of the pages */
    bool later_wins; /* where pieces say different things of an address; else that is an error */
};

/* FILE@VADDR, or FILE:OFFSET[-END]:VADDR for a part of it. false: error says why. */
bool foreign_image_add(struct foreign_image *image, const char *spec, struct error *error);

/* The PT_LOAD segments of an ELF file that have bytes in it; FILE[@BASE]: the first one's page at BASE, others as far
 * from it as the file says. */
bool foreign_elf_add(struct foreign_image *image, const char *spec, struct error *error);

/* For what adds pieces: take a file over, and where a part of the last file stands. */
bool foreign_image_add_file(struct foreign_image *image, const char *name, struct error *error);
bool foreign_image_add_piece(struct foreign_image *image, struct foreign_piece piece, const char *name,
                             struct error *error);

/* The pieces as pages; they need the image as long as they are used. false: no memory, or two pieces say different
 * things of one address. */
bool foreign_image_pages(struct foreign_image *image, struct code_pages *pages, struct error *error);

void foreign_image_free(struct foreign_image *image);

#endif
