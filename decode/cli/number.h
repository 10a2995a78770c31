/* Numbers of the command line. */
#ifndef DECODE_NUMBER_H
#define DECODE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Read word as a number, decimal or 0x hexadecimal, of at most max. false: said that option's word is none. */
bool number_parse(uint64_t *number, const char *option, const char *word, uint64_t max);

#endif
