#include "decode/cli/options/foreign_input.h"

#include <inttypes.h>
#include <string.h>

#include "decode/capture/capture.h"
#include "decode/capture/text.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/foreign/perf_trace.h"
#include "decode/report/number_text.h"

#define MAX_FAMILY 0xffffu
#define MAX_MODEL 0xffu
#define MAX_STEPPING 15u

bool foreign_input_cpu_number(uint64_t *number, const struct foreign_options *options)
{
    *number = 0;
    if (!options->cpu)
        return true;
    const struct record_text text = {options->cpu, strlen(options->cpu)};
    if (text_number(number, text) && *number < CAPTURE_MAX_CPUS)
        return true;
    message_print("decode: --cpu: '%s' is not a number from 0 to %u", options->cpu, CAPTURE_MAX_CPUS - 1);
    return false;
}

/* Parse a number up to a slash or the end. Returns the begin of the next one; NULL: it is not a number. */
static const char *take_number(uint64_t *number, const char *text, uint64_t most)
{
    const size_t length = strcspn(text, "/");
    if (length == 0 || !text_number(number, (struct record_text){text, length}) || *number > most)
        return NULL;
    return text[length] ? text + length + 1 : text + length;
}

bool foreign_input_model(struct flow_input *input, const char *text)
{
    uint64_t family, model, stepping = 0;
    if (!text || !strcmp(text, "none"))
        return true;
    const char *rest = take_number(&family, text, MAX_FAMILY);
    rest = rest && *rest ? take_number(&model, rest, MAX_MODEL) : NULL;
    if (rest && *rest)
        rest = take_number(&stepping, rest, MAX_STEPPING);
    if (!rest || *rest) {
        message_print("decode: --cpu: '%s' is not FAMILY/MODEL/STEPPING or none, which --pt requires", text);
        return false;
    }
    input->cpu_known = true;
    input->family = (uint16_t)family;
    input->model = (uint8_t)model;
    input->stepping = (uint8_t)stepping;
    return true;
}

static void read_settings(struct flow_input *input, const struct foreign_options *options)
{
    for (unsigned i = 0; i < FOREIGN_RANGES; i++)
        input->range_kinds |= options->kinds[i] << 4 * i;
    memcpy(input->ranges, options->ranges, sizeof(input->ranges));
}

/* false: error says why. */
static bool open_perf(struct foreign *foreign, const struct foreign_options *options, const struct flow_input *settings,
                      struct error *error)
{
    struct perf_choice choice = {.pid = options->pid, .buffer = options->buffer, .root = options->symfs};
    char number[COUNTED_TEXT_SIZE];
    if (!perf_open(foreign, options->perf, &choice, settings, error))
        return false;
    if (choice.nr_buffers > 1 && options->buffer == PERF_ANY)
        message_print("%s: %" PRIu64 " buffers, merged by the times of their PSBs; --buffer N selects one",
                      options->perf, choice.nr_buffers);
    if (choice.unfinished)
        message_print("%s: perf did not finish this file: reading what it had written", options->perf);
    if (choice.nr_gaps > 0)
        message_print("%s: packets are missing in %s (the output stopped, or they were overwritten)", options->perf,
                      counted_text(number, choice.nr_gaps, "place", "places"));
    if (choice.nr_missing > 0)
        message_print("%s: %s of missing files: their code is unknown", options->perf,
                      counted_text(number, choice.nr_missing, "mapping is", "mappings are"));
    if (choice.untimed)
        message_print("%s: %" PRIu64
                      " programs ran, and the file's times cannot be converted to the TSC: using the code of the first "
                      "program; --pid N selects another",
                      options->perf, choice.nr_programs);
    return true;
}

bool foreign_input_open(struct foreign *foreign, const struct foreign_options *options)
{
    struct flow_input settings = {.cpu_known = false};
    struct error error = {0};
    *foreign = (struct foreign){0};
    if (!foreign_input_model(&settings, options->cpu))
        return false;
    read_settings(&settings, options);
    bool good = true;
    for (size_t i = 0; i < options->images.count && good; i++) {
        const char *word = options->images.items[i].word;
        good = strcmp(options->images.items[i].name, "elf") ? foreign_image_add(&foreign->image, word, &error)
                                                            : foreign_elf_add(&foreign->image, word, &error);
    }
    if (good && options->perf)
        good = open_perf(foreign, options, &settings, &error);
    else
        good = good && foreign_open(foreign, options->pt, &settings, &error);
    if (!good)
        error_print(&error);
    return good;
}
