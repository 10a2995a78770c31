/* The secret in the URL. */
#ifndef DECODE_SERVE_TOKEN_H
#define DECODE_SERVE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#define TOKEN_LENGTH 32u /* hexadecimal digits: 128 random bits */

/* A random token from the kernel. false: it has none to give; errno says why. */
bool token_make(char token[TOKEN_LENGTH + 1]);

/* Are these bytes the token? The time depends on their number only, so that it does not say how many are right. */
bool token_equals(const char *token, const char *bytes, size_t size);

#endif
