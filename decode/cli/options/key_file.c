#include "decode/cli/options/key_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "decode/cli/message.h"
#include "serial/wire/auth.h"

bool key_file_read(struct siphash_key *key, const char *name)
{
    char text[128];
    FILE *file = fopen(name, "re");
    if (!file) {
        message_errno("%s: the key cannot be read", name);
        return false;
    }
    size_t size = fread(text, 1, sizeof(text) - 1, file), first = 0;
    fclose(file);
    while (size > 0 && isspace((unsigned char)text[size - 1]))
        size--;
    while (first < size && isspace((unsigned char)text[first]))
        first++;
    text[size] = '\0';
    const bool good = size - first == AUTH_KEY_DIGITS && auth_key_parse(key, text + first);
    memset(text, 0, sizeof(text));
    if (!good)
        message_print("%s: has no key: it must have %u hexadecimal digits, as `openssl rand -hex 16` prints them", name,
                      AUTH_KEY_DIGITS);
    return good;
}
