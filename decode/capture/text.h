/*
 * Texts of lines "name value", the payloads of RECORD_HELLO, RECORD_END and RECORD_STATUS. Pure.
 */
#ifndef DECODE_TEXT_H
#define DECODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct record_text {
    const char *bytes; /* not NUL-terminated */
    size_t size;
};

struct text_line {
    struct record_text name, value;
};

/* The line at *position, which advances to the next one. Empty lines are skipped. false: no more. */
bool text_next(struct text_line *line, struct record_text text, size_t *position);

/* The value of the line with this name. false: there is none. */
bool text_find(struct record_text *value, struct record_text text, const char *name);

/* The same as a number, decimal or 0x hexadecimal. false: there is none, or it is not a number. */
bool text_find_number(uint64_t *number, struct record_text text, const char *name);

/* Read a whole text as a number, decimal or 0x hexadecimal. */
bool text_number(uint64_t *number, struct record_text text);

/* Is the text this word? */
bool text_equals(struct record_text text, const char *word);

/* Write the text of a machine, which anyone may have sent, for a terminal: bytes that are not printable ASCII become
 * \xNN. Returns the number of characters. */
size_t text_write_plain(FILE *file, struct record_text text);

/* Write the text as a JSON string, quotes included. */
void text_write_json(FILE *file, struct record_text text);

/* Write the lines as fields of a JSON object, each on its own line after indent. comma is written before the first
 * field, "," before each other one. Decimal numbers become numbers, all else strings. */
void text_write_json_fields(FILE *file, struct record_text text, const char *comma, const char *indent);

#endif
