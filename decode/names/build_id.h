/* Build IDs as text, in which paths and debuginfod's addresses have them. */
#ifndef DECODE_NAMES_BUILD_ID_H
#define DECODE_NAMES_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_SIZE 64u
#define BUILD_ID_TEXT_SIZE (2 * BUILD_ID_SIZE + 1)

/* Hexadecimal digits. size: at most BUILD_ID_SIZE. Returns text. */
const char *build_id_text(char text[BUILD_ID_TEXT_SIZE], const uint8_t *id, size_t size);

/* The bytes of such a text. Returns how many there are; 0: it is no build ID. */
size_t build_id_parse(uint8_t id[BUILD_ID_SIZE], const char *text);

/* The path DIRECTORY/.build-id/xx/yyyyENDING. NULL: out of memory, or the ID is too short or too long. */
char *build_id_path(const char *directory, const uint8_t *id, size_t size, const char *ending);

#endif
