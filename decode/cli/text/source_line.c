#include "decode/cli/text/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/cli/message.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

/* A file, and what libdw has read of it. */
struct source_file {
    const char *path; /* owned by names */
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: nothing could be read */
    GElf_Addr bias;      /* libdw's addresses minus the file's */
};

struct source_lines {
    struct names *names;
    char *debug_path; /* directories separated by colons: libdwfl.h, dwfl_standard_find_debuginfo */
    Dwfl_Callbacks callbacks;
    struct source_file *files;
    size_t nr_files, files_room;
};

bool source_lines_are_there(const char *command)
{
    (void)command;
    return true;
}

/* Debug files: beside the file, in .debug there, in /usr/lib/debug, and in the directories of --debug and --files. */
static char *debug_path_of(const struct names *names)
{
    const char *directory;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fputs(":.debug:/usr/lib/debug", file);
    for (size_t i = 0; (directory = names_debug_directory(names, i)); i++) {
        struct stat status;
        char *path = stat(directory, &status) == 0 && S_ISDIR(status.st_mode) ? realpath(directory, NULL) : NULL;
        if (path)
            fprintf(file, ":%s:%s/debug", path, path);
        free(path);
    }
    const bool good = !ferror(file);
    if (fclose(file) == 0 && good)
        return text;
    free(text);
    return NULL;
}

struct source_lines *source_lines_open(struct names *names)
{
    struct source_lines *lines = calloc(1, sizeof(*lines));
    char *path = debug_path_of(names);
    if (!lines || !path) {
        free(lines);
        free(path);
        return NULL;
    }
    lines->names = names;
    lines->debug_path = path;
    lines->callbacks = (Dwfl_Callbacks){.find_debuginfo = dwfl_standard_find_debuginfo,
                                        .section_address = dwfl_offline_section_address,
                                        .debuginfo_path = &lines->debug_path};
    return lines;
}

void source_lines_close(struct source_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->nr_files; i++)
        dwfl_end(lines->files[i].dwfl);
    free(lines->files);
    free(lines->debug_path);
    free(lines);
}

static void read_file(struct source_file *file, const Dwfl_Callbacks *callbacks)
{
    file->dwfl = dwfl_begin(callbacks);
    file->module = file->dwfl ? dwfl_report_offline(file->dwfl, "", file->path, -1) : NULL;
    if (!file->module || dwfl_report_end(file->dwfl, NULL, NULL) != 0 || !dwfl_module_getelf(file->module, &file->bias))
        file->module = NULL;
}

/* NULL: no memory. */
static const struct source_file *file_of(struct source_lines *lines, const char *path)
{
    for (size_t i = lines->nr_files; i-- > 0;)
        if (lines->files[i].path == path)
            return &lines->files[i];
    void *items = lines->files;
    struct source_file *file = list_add(&items, &lines->nr_files, &lines->files_room, sizeof(*file));
    lines->files = items;
    if (!file)
        return NULL;
    *file = (struct source_file){.path = path};
    read_file(file, &lines->callbacks);
    return file;
}

bool source_line_known(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                       uint64_t cr3, uint64_t at, uint64_t address)
{
    uint64_t linked;
    int number = 0;
    const char *path = names_file(lines->names, pages, cr3, at, address, &linked);
    const struct source_file *file = path ? file_of(lines, path) : NULL;
    Dwfl_Line *line = file && file->module ? dwfl_module_getsrc(file->module, linked + file->bias) : NULL;
    const char *source = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (source)
        snprintf(text, SOURCE_LINE_SIZE, "%s:%d", source, number);
    return source != NULL;
}
#else
bool source_lines_are_there(const char *command)
{
    message_print("%s: --srcline: this undertrace was built without libdw; install libdw-dev and rebuild it", command);
    return false;
}

struct source_lines *source_lines_open(struct names *names)
{
    (void)names;
    return NULL;
}

void source_lines_close(struct source_lines *lines)
{
    (void)lines;
}

bool source_line_known(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                       uint64_t cr3, uint64_t at, uint64_t address)
{
    (void)text;
    (void)lines;
    (void)pages;
    (void)cr3;
    (void)at;
    (void)address;
    return false;
}
#endif

const char *source_line_text(char text[SOURCE_LINE_SIZE], struct source_lines *lines, const struct code_pages *pages,
                             uint64_t cr3, uint64_t at, uint64_t address)
{
    if (!source_line_known(text, lines, pages, cr3, at, address))
        strcpy(text, "??:0");
    return text;
}
