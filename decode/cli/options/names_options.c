#include "decode/cli/options/names_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/list.h"
#include "decode/cli/message.h"
#include "decode/cli/options/fetch_file.h"
#include "decode/cli/options/kernel_places.h"
#include "decode/cli/text/error_text.h"
#include "decode/names/build_id.h"
#include "decode/names/remembered.h"

enum { REMEMBERED_USE, REMEMBERED_IGNORE, REMEMBERED_FORGET };

/* The files that are used, and what is remembered. */
struct chosen {
    const struct capture *capture;
    struct remembered remembered;
    struct names_options options;
    struct names_options searched; /* of these, the ones that are not remembered yet */
    const char **files, **debug;   /* of the options */
    const char **given;            /* the paths where files were searched */
    size_t nr_given;
    struct kernel_places kernels, own; /* owned paths: candidates, and other files that were fetched */
    bool quiet;                        /* print no message */
};

struct argument_choice *names_remembered(struct argument_choice *choice)
{
    static const char *const words[] = {
        [REMEMBERED_USE] = "use", [REMEMBERED_IGNORE] = "ignore", [REMEMBERED_FORGET] = "forget", NULL};
    choice->words = words;
    return choice;
}

static void chosen_free(struct chosen *chosen)
{
    remembered_free(&chosen->remembered);
    kernel_places_free(&chosen->kernels);
    kernel_places_free(&chosen->own);
    free(chosen->files);
    free(chosen->debug);
    free(chosen->given);
}

/* --- the kernel --- */

static bool add_fetched(struct kernel_places *places, char *path)
{
    const bool good = !path || kernel_places_add(places, path);
    free(path);
    return good;
}

/* The images that may be the kernel's. Those that were compared before and are not, are left out. */
static bool gather(struct chosen *chosen, const struct remembered_item *kernel)
{
    struct kernel_places all = {0};
    bool good = true;
    if (kernel)
        good = kernel_places_add(&chosen->kernels, kernel->path) &&
               add_fetched(&chosen->kernels, build_id_path("/usr/lib/debug", kernel->id, kernel->id_size, ".debug"));
    good = good && kernel_places_find(&all);
    for (size_t i = 0; good && i < all.count; i++)
        if (!remembered_has(&chosen->remembered, REMEMBERED_OTHER, all.paths[i]))
            good = kernel_places_add(&chosen->kernels, all.paths[i]);
    kernel_places_free(&all);
    return good;
}

static bool try_kernels(struct chosen *chosen, size_t from)
{
    const struct kernel_places *places = &chosen->kernels;
    char **first = places->paths + from;
    const size_t count = places->count - from;
    if (count == 0)
        return true;
    const size_t which = names_search_kernel(chosen->capture, (const char *const *)first, count);
    bool good = true;
    for (size_t i = 0; good && i < which; i++)
        good = remembered_add(&chosen->remembered, REMEMBERED_OTHER, first[i], NULL, 0);
    if (which == count)
        return good;
    chosen->options.kernel = chosen->searched.kernel = first[which];
    if (!chosen->quiet)
        message_print("kernel: %s has the code that ran", first[which]);
    return good;
}

static bool fetch_kernel(struct chosen *chosen, const struct remembered_item *kernel)
{
    const size_t from = chosen->kernels.count;
    return add_fetched(&chosen->kernels, fetch_file(kernel->id, kernel->id_size, kernel->path)) &&
           (chosen->kernels.count > from ||
            add_fetched(&chosen->kernels, fetch_debug_file(kernel->id, kernel->id_size, kernel->path))) &&
           try_kernels(chosen, from);
}

static bool search_kernel(struct chosen *chosen, const struct remembered_item *kernel)
{
    bool good = gather(chosen, kernel) && try_kernels(chosen, 0);
    if (good && kernel && !chosen->options.kernel)
        good = fetch_kernel(chosen, kernel);
    if (good && kernel && !chosen->options.kernel && !chosen->quiet)
        message_print("%s/" REMEMBERED_NAME ": the kernel %s is gone or has changed, and no other image has the code "
                      "that ran: give it with --kernel",
                      chosen->capture->directory, kernel->path);
    return good;
}

static bool choose_kernel(struct chosen *chosen)
{
    size_t at = 0, symbols_at = 0;
    const struct remembered_item *kernel = remembered_next(&chosen->remembered, &at, REMEMBERED_KERNEL);
    const struct remembered_item *symbols = remembered_next(&chosen->remembered, &symbols_at, REMEMBERED_SYMBOLS);
    if (symbols && access(symbols->path, R_OK) == 0)
        chosen->options.symbols = symbols->path;
    else if (symbols && !chosen->quiet)
        message_print("%s/" REMEMBERED_NAME ": the list of symbols %s is gone: give it with --symbols",
                      chosen->capture->directory, symbols->path);
    if (kernel && remembered_is_same(kernel))
        chosen->options.kernel = kernel->path;
    else if (kernel || !chosen->options.symbols)
        return search_kernel(chosen, kernel);
    return true;
}

/* --- other files --- */

/* A file that is gone or has changed is fetched by its build ID. Returns the path; NULL: it is nowhere. */
static const char *find_file(struct chosen *chosen, const struct remembered_item *item)
{
    if (remembered_is_same(item))
        return item->path;
    if (!add_fetched(&chosen->own, fetch_file(item->id, item->id_size, item->path)) || chosen->own.count == 0)
        return NULL;
    return chosen->own.paths[chosen->own.count - 1];
}

static size_t list_kind(const char **list, const struct remembered *remembered, enum remembered_kind kind)
{
    const struct remembered_item *item;
    size_t count = 0;
    for (size_t at = 0; (item = remembered_next(remembered, &at, kind));)
        if (access(item->path, R_OK) == 0)
            list[count++] = item->path;
    return count;
}

/* All files as they were found, in the same order. */
static void take_found(struct chosen *chosen)
{
    const struct remembered_item *item, *gone = NULL;
    size_t count = 0, missing = 0;
    for (size_t at = 0; (item = remembered_next(&chosen->remembered, &at, REMEMBERED_FILE));) {
        const size_t owned = chosen->own.count;
        const char *path = find_file(chosen, item);
        if (path && (path == item->path || chosen->own.count > owned)) {
            chosen->files[count++] = path;
            continue;
        }
        gone = gone ? gone : item;
        missing++;
    }
    chosen->options.files = chosen->files;
    chosen->options.nr_files = count;
    if (missing && !chosen->quiet)
        message_print("%s/" REMEMBERED_NAME ": %zu of %zu files are gone or have changed, the first: %s: search for "
                      "them again with --files",
                      chosen->capture->directory, missing, missing + count, gone->path);
}

static bool choose_files(struct chosen *chosen)
{
    const size_t room = chosen->remembered.count + 1;
    chosen->files = calloc(room, sizeof(*chosen->files));
    chosen->given = calloc(room, sizeof(*chosen->given));
    if (!chosen->files || !chosen->given)
        return false;
    chosen->nr_given = list_kind(chosen->given, &chosen->remembered, REMEMBERED_GIVEN);
    if (chosen->remembered.events_size == chosen->capture->events_size) {
        take_found(chosen);
        return true;
    }
    chosen->options.files = chosen->searched.files = chosen->given;
    chosen->options.nr_files = chosen->searched.nr_files = chosen->nr_given;
    return true;
}

/* Those of --debug, or the remembered ones, then the paths where files were searched. */
static bool choose_debug(struct chosen *chosen, const struct names_choice *choice, bool use, struct error *error)
{
    const size_t given = choice->debug.count;
    size_t count = 0;
    chosen->debug = calloc(given + chosen->remembered.count + chosen->nr_given + 1, sizeof(*chosen->debug));
    if (!chosen->debug)
        return false;
    for (; count < given; count++) {
        chosen->debug[count] = choice->debug.items[count].word;
        if (!names_check_path(chosen->debug[count], error))
            return false;
    }
    chosen->searched.debug = chosen->debug;
    chosen->searched.nr_debug = given;
    if (use && given == 0)
        count = list_kind(chosen->debug, &chosen->remembered, REMEMBERED_DEBUG);
    for (size_t i = 0; i < chosen->nr_given; i++)
        chosen->debug[count++] = chosen->given[i];
    chosen->options.debug = chosen->debug;
    chosen->options.nr_debug = count;
    return true;
}

/* --- all of them --- */

static bool take_given(struct chosen *chosen, const struct names_choice *choice)
{
    struct names_options *options = &chosen->options;
    const size_t count = choice->files.count;
    if (choice->kernel || choice->symbols) {
        options->kernel = chosen->searched.kernel = choice->kernel;
        options->symbols = chosen->searched.symbols = choice->symbols;
    }
    if (count == 0)
        return true;
    free(chosen->given);
    if (!(chosen->given = calloc(count, sizeof(*chosen->given))))
        return false;
    for (size_t i = 0; i < count; i++)
        chosen->given[i] = choice->files.items[i].word;
    options->files = chosen->searched.files = chosen->given;
    options->nr_files = chosen->searched.nr_files = chosen->nr_given = count;
    return true;
}

/* false: error says why; if it does not, out of memory. */
static bool choose(struct chosen *chosen, const struct capture *capture, const struct names_choice *choice, bool quiet,
                   struct error *error)
{
    const bool use = choice->remembered.chosen == REMEMBERED_USE;
    *chosen = (struct chosen){.capture = capture, .quiet = quiet, .options.fetch = fetch_debug_file};
    if (choice->remembered.chosen == REMEMBERED_FORGET && !remembered_forget(capture))
        return error_set(error, ERROR_CANNOT_WRITE, 0, "%s/" REMEMBERED_NAME, capture->directory);
    if (use)
        remembered_read(&chosen->remembered, capture);
    return (!use || choice->kernel || choice->symbols || choose_kernel(chosen)) &&
           (!use || choice->files.count > 0 || choose_files(chosen)) && take_given(chosen, choice) &&
           choose_debug(chosen, choice, use, error);
}

/* A capture that cannot be written is no error: its names are only not remembered. */
static bool remember(struct chosen *chosen, const struct names *names)
{
    if (!remembered_take(&chosen->remembered, chosen->capture, names, &chosen->searched))
        return false;
    if (chosen->remembered.count > 0)
        remembered_write(&chosen->remembered, chosen->capture);
    return true;
}

struct names *open_names(const struct capture *capture, const struct names_choice *choice)
{
    struct error error = {0};
    struct chosen chosen;
    const bool good = choose(&chosen, capture, choice, false, &error);
    struct names *names = good ? names_open(capture, &chosen.options, &error) : NULL;
    if (names && choice->remembered.chosen != REMEMBERED_IGNORE && !remember(&chosen, names)) {
        names_close(names);
        names = NULL;
    }
    if (!names) {
        error_set(&error, ERROR_MEMORY, 0, "names");
        error_print(&error);
    }
    chosen_free(&chosen);
    return names;
}

struct names *open_names_quietly(const struct capture *capture, const struct names_choice *choice)
{
    struct error ignored = {0};
    struct chosen chosen;
    const bool good = choose(&chosen, capture, choice, true, &ignored);
    chosen.options.fetch = NULL;
    struct names *names = good ? names_open(capture, &chosen.options, &ignored) : NULL;
    if (names && choice->remembered.chosen != REMEMBERED_IGNORE && capture->hello.size > 0)
        remember(&chosen, names); /* if memory runs out, they are found again */
    chosen_free(&chosen);
    return names;
}

bool names_are_there(const struct capture *capture, const struct names_choice *choice)
{
    struct error ignored = {0}; /* open_names reports it */
    struct chosen chosen;
    const bool good = choose(&chosen, capture, choice, true, &ignored);
    const bool there = good && (chosen.options.kernel || chosen.options.symbols || chosen.options.nr_files > 0);
    if (good && choice->remembered.chosen == REMEMBERED_USE && chosen.remembered.count > 0)
        remembered_write(&chosen.remembered, capture);
    chosen_free(&chosen);
    return there;
}
