#include "decode/cli/number.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/cli/message.h"

bool number_parse(uint64_t *number, const char *option, const char *word, uint64_t max)
{
    if (text_number(number, (struct record_text){word, strlen(word)}) && *number <= max)
        return true;
    message_say("%s %s: is no number of 0 to %" PRIu64, option, word, max);
    return false;
}
