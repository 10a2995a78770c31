/* Small files in /proc, /sys, /dev and /boot of a machine, below a root directory: "/" for this machine. */
#ifndef DECODE_DOCTOR_TREE_H
#define DECODE_DOCTOR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Join root and path; false: longer than size. */
bool tree_path(char *out, size_t size, const char *root, const char *path);

/* The first bytes of a file as text, size - 1 at most, without the newline at its end. false: it cannot be read. */
bool tree_text(char *text, size_t size, const char *root, const char *path);

/* The number at the start of a file: decimal, or hexadecimal after 0x. */
bool tree_number(uint64_t *number, const char *root, const char *path);

bool tree_exists(const char *root, const char *path);

/* The sum of the sizes of the regular files of a directory. */
uint64_t tree_bytes(const char *root, const char *path);

/* NULL: it cannot be read. */
FILE *tree_open(const char *root, const char *path);

/* The names in a directory that begin with start, sorted; at most `most` of them. */
#define TREE_NAME_MAX 64u
size_t tree_names(char (*names)[TREE_NAME_MAX], size_t most, const char *root, const char *path, const char *start);

#endif
