/* Programs, libraries and modules: which of the given files contain pages of the capture. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/capture/list.h"
#include "decode/names/debug_file.h"
#include "decode/names/file_tree.h"
#include "decode/names/input_file.h"
#include "decode/names/module_index.h"
#include "decode/names/names_state.h"
#include "decode/names/program_file.h"

/* The state while files are read. */
struct reading {
    struct names *names;
    struct debug_places places;
    struct module_index modules;
    size_t looked_at, left_out;
    struct error why; /* why the first of those was left out */
};

bool names_keep_object(struct names *names, struct object *object)
{
    struct object **place = list_add((void **)&names->objects, &names->nr_objects, &names->object_room, sizeof(*place));
    if (place)
        *place = object;
    else
        object_free(object);
    return place;
}

/* The same for an object of a file. */
static bool keep_object_of(struct names *names, struct object *object, const char *path)
{
    if ((object->file = strdup(path)))
        return names_keep_object(names, object);
    object_free(object);
    return false;
}

static bool is_module_page(const void *context, const struct page_content *content)
{
    const struct names *names = context;
    return content->high && (content->gva < names->kernel_begin || content->gva >= names->kernel_end);
}

static bool take_part(struct reading *reading, const struct elf_file *file, const char *path, enum module_part part)
{
    struct module_text text;
    size_t claimed = 0;
    bool good = module_text_read(&text, file, path, part) &&
                module_index_claim(&claimed, &reading->modules, &reading->names->pages, &text);
    if (good && claimed) {
        good = keep_object_of(reading->names, text.object, path);
        text.object = NULL;
    }
    module_text_free(&text);
    return good;
}

static bool take_module(struct reading *reading, const struct elf_file *file, const char *path)
{
    for (enum module_part part = 0; part < MODULE_NR_PARTS; part++)
        if (!take_part(reading, file, path, part))
            return false;
    return true;
}

/* The same file under another path: its pages are claimed already. */
static bool is_known(const struct names *names, const struct elf_file *file)
{
    size_t size = 0;
    const uint8_t *id = elf_build_id(file, &size);
    for (size_t i = 0; id && i < names->nr_objects; i++)
        if (names->objects[i]->id_size == size && !memcmp(names->objects[i]->id, id, size))
            return true;
    return false;
}

static bool take_program(struct reading *reading, const struct elf_file *file, const char *path)
{
    struct object *object = NULL;
    if (is_known(reading->names, file))
        return true;
    if (!program_file_match(&object, &reading->names->pages, file, path, &reading->places)) {
        object_free(object);
        return false;
    }
    return !object || keep_object_of(reading->names, object, path);
}

/* Debug files have the sections of code without their bytes. */
static bool has_code(const struct elf_file *file)
{
    for (size_t i = 0; i < file->nr_sections; i++)
        if (file->sections[i].type == SHT_NOBITS && (file->sections[i].flags & SHF_EXECINSTR))
            return false;
    return true;
}

static bool is_module_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *ending = strstr(slash ? slash : path, ".ko");
    return ending && (ending[3] == '\0' || ending[3] == '.');
}

static bool open_file(struct input_file *input, const char *path, struct error *error)
{
    return is_module_name(path) ? input_file_open_unpacked(input, path, error) : input_file_open(input, path, error);
}

static bool read_file(void *context, const char *path)
{
    struct reading *reading = context;
    struct input_file input;
    struct elf_file file;
    bool good = true;
    /* Most files of a system are not ELF files: do not map them. */
    if (!is_module_name(path) && !input_file_begins(path, ELFMAG, SELFMAG))
        return true;
    if (!open_file(&input, path, &reading->why)) {
        reading->left_out++;
        return true;
    }
    if (!elf_open(&file, input.bytes, input.size)) {
        input_file_close(&input);
        return true;
    }
    reading->looked_at++;
    if (module_text_is_of(&file))
        good = take_module(reading, &file, path);
    else if ((file.type == ET_EXEC || file.type == ET_DYN) && has_code(&file))
        good = take_program(reading, &file, path);
    elf_close(&file);
    input_file_close(&input);
    return good;
}

/* How many pages of programs and of modules are claimed, and by how many objects. */
static bool report_pages(struct names *names, size_t looked_at)
{
    size_t user = 0, user_named = 0, modules = 0, modules_named = 0, several = 0;
    for (size_t i = 0; i < names->pages.count; i++) {
        const struct page_content *content = &names->pages.contents[i];
        const bool module = is_module_page(names, content);
        user += content->low;
        modules += module;
        user_named += content->low && content->nr_claims > 0;
        modules_named += module && content->nr_claims > 0;
        several += content->nr_claims > 1;
        if (content->nr_claims == 1)
            content->claims[0].object->pages++;
    }
    size_t found[OBJECT_NR_KINDS] = {0};
    for (size_t i = 0; i < names->nr_objects; i++)
        found[names->objects[i]->kind]++;
    return names_add_line(
        names,
        "files: %zu looked at; %zu programs and libraries have %zu of the %zu pages at users' addresses; "
        "%zu parts of modules have %zu of the %zu pages at modules' addresses; %zu %s in several",
        looked_at, found[OBJECT_PROGRAM] + found[OBJECT_VDSO], user_named, user, found[OBJECT_MODULE], modules_named,
        modules, several, several == 1 ? "page is" : "pages are");
}

bool names_check_path(const char *path, struct error *error)
{
    struct stat status;
    struct input_file input;
    if (stat(path, &status) != 0)
        return error_set(error, ERROR_CANNOT_OPEN, 0, "%s", path);
    if (S_ISDIR(status.st_mode))
        return true;
    if (!open_file(&input, path, error))
        return false;
    const bool good = elf_begins(input.bytes, input.size);
    input_file_close(&input);
    return good || error_set(error, ERROR_NAMES, 0, "%s: neither an ELF file nor a directory", path);
}

static struct debug_places places_of(const struct names_options *options)
{
    const bool own = options->nr_debug > 0;
    return (struct debug_places){own ? options->debug : options->files, own ? options->nr_debug : options->nr_files,
                                 options->fetch};
}

static bool keep_places(struct names *names, const struct debug_places *places)
{
    names->debug = calloc(places->nr_paths + 1, sizeof(*names->debug));
    for (size_t i = 0; names->debug && i < places->nr_paths; i++)
        if (!(names->debug[names->nr_debug++] = strdup(places->paths[i])))
            return false;
    return names->debug;
}

bool names_read_files(struct names *names, const struct names_options *options, struct error *error)
{
    struct reading reading = {.names = names, .places = places_of(options)};
    if (!keep_places(names, &reading.places))
        return false;
    if (options->nr_files == 0)
        return true;
    for (size_t i = 0; i < options->nr_files; i++)
        if (!names_check_path(options->files[i], error))
            return false;
    if (!module_index_build(&reading.modules, &names->pages, is_module_page, names))
        return false;
    const bool good = file_tree_walk(options->files, options->nr_files, read_file, &reading);
    module_index_free(&reading.modules);
    page_set_settle(&names->pages);
    return good && report_pages(names, reading.looked_at) &&
           (reading.left_out == 0 || names_add_line(names, "files: %zu cannot be read or unpacked, the first: %s",
                                                    reading.left_out, reading.why.name));
}
