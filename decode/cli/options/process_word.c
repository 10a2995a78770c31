#include "decode/cli/options/process_word.h"

#include "decode/cli/message.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/options/range_word.h"
#include "decode/engine/flow.h"

bool process_word_parse(uint64_t *cr3, const char *command, const char *word)
{
    uint64_t end;
    *cr3 = FLOW_CR3_UNKNOWN;
    if (!word || word[0] < '0' || word[0] > '9' || range_word_parse(word, cr3, &end))
        return true;
    message_print("%s: --process: '%s' is neither a hexadecimal CR3 nor a name; for a process number give pid:%s",
                  command, word, word);
    return false;
}
