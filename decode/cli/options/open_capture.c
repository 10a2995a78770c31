#include "decode/cli/options/open_capture.h"

#include <inttypes.h>
#include <string.h>

#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/report/number_text.h"

#define DAMAGES_SHOWN 8u

/* The messages follow the file and the offset. "#": the number of bytes. */
static const char *const damage_texts[DAMAGE_NR_KINDS] = {
    [DAMAGE_BYTES] = "from here on, # not as received (checksum mismatch)",
    [DAMAGE_CUT] = "the file ends here: # missing",
    [DAMAGE_CHECKSUM] = "# of damaged entries",
    [DAMAGE_NO_SUM] = "from here on, # cannot be checked: the checksum is damaged or missing",
    [DAMAGE_RECORD] = "no record begins here: # skipped",
    [DAMAGE_INDEX] = "from here on, # in conflict with events.bin, which takes precedence",
    [DAMAGE_LOST] = "# of records before it did not arrive: code that was executed after them may be unknown or wrong",
};

static void damage_print(const struct capture *capture, const struct damage *damage)
{
    const char *text = damage_texts[damage->kind], *mark = strchr(text, '#');
    char size[COUNTED_TEXT_SIZE];
    message_print("%s/%s: offset %" PRIu64 ": %.*s%s%s", capture->directory, damage->file, damage->offset,
                  (int)(mark - text), text, counted_text(size, damage->size, "byte", "bytes"), mark + 1);
}

struct capture *open_capture(const char *directory)
{
    struct error error = {0};
    struct capture *capture = capture_open(directory, &error);
    if (!capture)
        error_print(&error);
    return capture;
}

bool damages_print(const struct capture *capture)
{
    const struct damages *damages = &capture->damages, *unsummed = &capture->unsummed;
    char number[COUNTED_TEXT_SIZE];
    size_t shown = damages->count < DAMAGES_SHOWN ? damages->count : DAMAGES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        damage_print(capture, &damages->items[i]);
    if (damages->count > shown)
        message_print("%s: and %s", capture->directory,
                      counted_text(number, damages->count - shown, "more damaged place", "more damaged places"));
    for (size_t i = 0; i < unsummed->count && i < DAMAGES_SHOWN; i++)
        message_print("%s/%s: offset %" PRIu64 ": the last %" PRIu64
                      " bytes have no checksum: the receiver is still running, or was stopped",
                      capture->directory, unsummed->items[i].file, unsummed->items[i].offset, unsummed->items[i].size);
    if (!capture->checksums.present)
        message_print("%s: has no checksums: damage to its files is not detected", capture->directory);
    return damages->count > 0;
}
