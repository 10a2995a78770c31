#include "decode/cli/text/error_text.h"

#include "decode/cli/message.h"

void error_print(const struct error *error)
{
    char text[ERROR_TEXT_MAX];
    error_text(text, sizeof(text), error);
    message_print("%s", text);
}
