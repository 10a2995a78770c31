/* The file of --key: the key that the hypervisor's option key= has, too. */
#ifndef DECODE_CLI_OPTIONS_KEY_FILE_H
#define DECODE_CLI_OPTIONS_KEY_FILE_H

#include <stdbool.h>

#include "serial/wire/siphash.h"

/* Read 32 hexadecimal digits; blanks and line feeds may surround them. false: a message says what is wrong. */
bool key_file_read(struct siphash_key *key, const char *name);

#endif
