#include "decode/serve/token.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

bool token_make(char token[TOKEN_LENGTH + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[TOKEN_LENGTH] = '\0';
    return true;
}

bool token_equals(const char *token, const char *bytes, size_t size)
{
    unsigned differences = 0;
    if (size != strlen(token))
        return false;
    for (size_t i = 0; i < size; i++)
        differences |= (unsigned char)token[i] ^ (unsigned char)bytes[i];
    return differences == 0;
}
