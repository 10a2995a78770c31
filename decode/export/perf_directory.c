/*
 * perf: a directory with "data" (samples), kcore_dir (the kernel's code and symbols) and code (what programs executed).
 * perf needs no other file of the guest.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/export/formats.h"
#include "decode/export/perf_samples.h"
#include "decode/profile/label.h"
#include "decode/query/code_elf.h"
#include "decode/report/number_text.h"

/* Units from one sample to the next unless --every is given. */
#define BRANCHES_PER_SAMPLE 10000u
#define TICKS_PER_SAMPLE 1000000u

/* perf_event_attr.config of perf's events "branches" and "cpu-clock" (nanoseconds). */
enum { HARDWARE_BRANCHES = 4, SOFTWARE_CPU_CLOCK = 0 };

#define KERNEL_MAP "[kernel.kallsyms]_text" /* perf looks for this symbol in kallsyms */
#define OPEN_DIRECTORIES 8
#define PATH_SIZE 1024u /* limit of a name in a record */

struct directory {
    char path[PATH_SIZE]; /* absolute, as perf may be started anywhere */
    const struct perf_samples *samples;
    struct error *error;
};

static bool make(const char *path, struct error *error)
{
    return mkdir(path, 0777) == 0 || error_set(error, ERROR_CANNOT_MAKE, 0, "%s", path);
}

/* NULL: error says why. */
static FILE *open_in(const struct directory *directory, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", directory->path, name);
    FILE *file = fopen(path, "w+e");
    if (!file)
        error_set(directory->error, ERROR_CANNOT_MAKE, 0, "%s", path);
    return file;
}

static bool make_in(const struct directory *directory, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", directory->path, name);
    return make(path, directory->error);
}

static bool close_in(const struct directory *directory, FILE *file, const char *name)
{
    const bool good = !ferror(file);
    return (fclose(file) == 0 && good) ||
           error_set(directory->error, ERROR_CANNOT_WRITE, 0, "%s/%s", directory->path, name);
}

/* Path of an object's file: perf shows its last part. */
static void object_name(char name[PATH_SIZE], const struct perf_code *code, size_t number)
{
    const struct perf_object *object = &code->objects[number];
    const char *base = object->name ? object->name : "[unknown]";
    const char *slash = strrchr(base, '/');
    snprintf(name, PATH_SIZE, "code/%zu/%.200s", number, slash ? slash + 1 : base);
}

static bool write_elf(const struct directory *directory, const char *name, const struct code_image *image)
{
    FILE *file = open_in(directory, name);
    if (!file)
        return false;
    const enum code_elf_result result = code_elf_write(file, image);
    return close_in(directory, file, name) &&
           (result == CODE_ELF_WRITTEN || error_set(directory->error, ERROR_MEMORY, 0, "%s", name));
}

static bool write_objects(const struct directory *directory)
{
    const struct perf_code *code = &directory->samples->code;
    bool good = make_in(directory, "code");
    for (size_t i = 1; i < code->nr_objects && good; i++) {
        char name[PATH_SIZE];
        snprintf(name, sizeof(name), "code/%zu", i);
        good = make_in(directory, name);
        object_name(name, code, i);
        good = good && write_elf(directory, name, &code->objects[i].image);
    }
    return good;
}

/* Address of the kernel's first function; if none is known, of its first executed page. */
static uint64_t kernel_begin(const struct perf_samples *samples)
{
    struct name function;
    size_t at = 0;
    const struct code_image *image = &samples->code.objects[0].image;
    uint64_t begin = image->nr_pages ? image->pages[0].gva : 0;
    if (names_kernel_function(samples->run->names, &at, &function))
        begin = function.begin;
    return begin;
}

/* Write all functions of the kernel, and those of modules that are in samples. */
static bool write_kallsyms(const struct directory *directory)
{
    const struct perf_samples *samples = directory->samples;
    const struct perf_object *kernel = &samples->code.objects[0];
    struct name function;
    const char *own = NULL;
    FILE *file = open_in(directory, "kcore_dir/kallsyms");
    if (!file)
        return false;
    fprintf(file, "%016" PRIx64 " T _text\n", kernel_begin(samples));
    for (size_t at = 0; names_kernel_function(samples->run->names, &at, &function); own = function.object)
        fprintf(file, "%016" PRIx64 " T %s\n", function.begin, function.symbol);
    for (size_t i = 0; i < kernel->nr_symbols; i++) {
        const struct name *name = &kernel->symbols[i];
        if (!own || !name->object || strcmp(name->object, own) != 0)
            fprintf(file, name->object ? "%016" PRIx64 " t %s\t[%s]\n" : "%016" PRIx64 " t %s\n", name->begin,
                    name->symbol, name->object);
    }
    return close_in(directory, file, "kcore_dir/kallsyms");
}

/* perf requires the file; it takes symbols of modules from kallsyms. */
static bool write_modules(const struct directory *directory)
{
    FILE *file = open_in(directory, "kcore_dir/modules");
    return file && close_in(directory, file, "kcore_dir/modules");
}

static bool write_kernel(const struct directory *directory)
{
    const struct code_image *image = &directory->samples->code.objects[0].image;
    if (image->nr_pages == 0)
        return true;
    return make_in(directory, "kcore_dir") && write_elf(directory, "kcore_dir/kcore", image) &&
           write_kallsyms(directory) && write_modules(directory);
}

/* Its name in the guest's kernel; otherwise its program's file, or its address space. */
static const char *comm_of(char text[LABEL_SIZE], const struct perf_thread *thread,
                           const struct profile_process *process)
{
    if (process->space == FLOW_CR3_UNKNOWN)
        return label_space(text, process->space);
    if (thread->thread)
        return thread->thread->comm;
    if (process->task)
        return process->task->comm;
    return process->name ? process->name : label_space(text, process->space);
}

static void put_comms(const struct perf_data *data, const struct perf_samples *samples)
{
    for (size_t i = 0; i < samples->nr_threads; i++) {
        char text[LABEL_SIZE];
        const struct perf_thread *thread = &samples->threads[i];
        const struct profile_process *process = &samples->profile.processes[thread->process];
        perf_data_comm(data, comm_of(text, thread, process),
                       &(struct perf_data_id){.pid = thread->process, .tid = thread->tid});
    }
}

/* Consecutive pages are one mapping. */
static void put_object(const struct perf_data *data, const struct directory *directory,
                       const struct perf_mapping *mapping)
{
    char path[2 * PATH_SIZE], name[PATH_SIZE];
    const struct code_image *image = &directory->samples->code.objects[mapping->object].image;
    const uint64_t first = code_elf_first_page(image);
    const struct perf_data_id id = {.pid = mapping->process, .tid = mapping->process, .time = mapping->time};
    object_name(name, &directory->samples->code, mapping->object);
    snprintf(path, sizeof(path), "%s/%s", directory->path, name);
    for (size_t begin = 0, end; begin < image->nr_pages; begin = end) {
        for (end = begin + 1;
             end < image->nr_pages && image->pages[end].gva == image->pages[end - 1].gva + RECORD_PAGE_SIZE;)
            end++;
        perf_data_mmap(data, PERF_DATA_USER, image->pages[begin].gva + mapping->moved, (end - begin) * RECORD_PAGE_SIZE,
                       first + begin * RECORD_PAGE_SIZE, path, &id);
    }
}

static void put_mappings(const struct perf_data *data, const struct directory *directory)
{
    const struct perf_samples *samples = directory->samples;
    const uint64_t begin = kernel_begin(samples);
    const struct perf_data_id no_id = {0};
    if (begin)
        perf_data_mmap(data, PERF_DATA_KERNEL, begin, UINT64_MAX - begin, begin, KERNEL_MAP, &no_id);
    for (size_t i = 0; i < samples->code.nr_mappings; i++)
        put_object(data, directory, &samples->code.mappings[i]);
}

static bool copy(FILE *to, FILE *from)
{
    char bytes[65536];
    size_t size;
    if (fseek(from, 0, SEEK_SET) != 0)
        return false;
    while ((size = fread(bytes, 1, sizeof(bytes), from)) > 0)
        fwrite(bytes, 1, size, to);
    return !ferror(from);
}

static bool write_data(const struct directory *directory)
{
    const struct perf_samples *samples = directory->samples;
    const bool branches = samples->unit == EXPORT_BRANCHES;
    const struct perf_data_attr attr = {.type = branches ? PERF_DATA_HARDWARE : PERF_DATA_SOFTWARE,
                                        .config = branches ? HARDWARE_BRANCHES : SOFTWARE_CPU_CLOCK,
                                        .period = samples->every,
                                        .sample_type = PERF_SAMPLES_TYPE,
                                        .flags = PERF_DATA_ATTR_MMAP | PERF_DATA_ATTR_COMM |
                                                 PERF_DATA_ATTR_SAMPLE_ID_ALL | PERF_DATA_ATTR_EXCLUDE_GUEST};
    struct perf_data data;
    FILE *file = open_in(directory, "data");
    if (!file)
        return false;
    perf_data_begin(&data, file, &attr, 1);
    put_comms(&data, samples);
    put_mappings(&data, directory);
    const bool good =
        copy(file, samples->file) || error_set(directory->error, ERROR_CANNOT_WRITE, 0, "%s/data", directory->path);
    perf_data_end(&data, samples->run->capture->nr_cpus);
    return close_in(directory, file, "data") && good;
}

/* Find the absolute path. */
static bool find_path(struct directory *directory, const char *name)
{
    char path[PATH_MAX];
    if (!realpath(name, path))
        return error_set(directory->error, ERROR_CANNOT_OPEN, 0, "%s", name);
    if (strlen(path) < PATH_SIZE - 256) {
        memcpy(directory->path, path, strlen(path) + 1);
        return true;
    }
    errno = ENAMETOOLONG;
    return error_set(directory->error, ERROR_CANNOT_MAKE, 0, "%s", name);
}

static void note_sums(const struct export_job *job, const struct perf_samples *samples)
{
    char number[COUNTED_TEXT_SIZE];
    job->note("%s; perf report -i %s", counted_text(number, samples->count, "sample", "samples"), job->output);
    if (samples->lost)
        job->note("%s not in any sample: after a gap it is unknown which task runs",
                  job->unit == EXPORT_TICKS ? counted_text(number, samples->lost, "tick is", "ticks are")
                                            : counted_text(number, samples->lost, "branch is", "branches are"));
}

/* For nftw. */
static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static bool write_directory(const struct export_job *job, struct error *error)
{
    struct perf_samples samples = {.run = job->run, .unit = job->unit, .every = job->every};
    struct directory own = {.samples = &samples, .error = error};
    if (samples.every == 0)
        samples.every = job->unit == EXPORT_TICKS ? TICKS_PER_SAMPLE : BRANCHES_PER_SAMPLE;
    if (!make(job->output, error))
        return false;
    samples.file = tmpfile();
    bool good = samples.file || error_set(error, ERROR_CANNOT_MAKE, 0, "a temporary file for samples");
    good = good && find_path(&own, job->output) && perf_samples_take(&samples, error) && write_objects(&own) &&
           write_kernel(&own) && write_data(&own);
    if (good)
        note_sums(job, &samples);
    else
        nftw(job->output, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    if (samples.file)
        fclose(samples.file);
    perf_samples_free(&samples);
    return good;
}

const struct export_format format_perf = {
    .name = "perf",
    .readers = "a directory for perf report and perf script: call chains of every\n"
               "process, with the code and the symbols that they need",
    .options = EXPORT_OPTION_UNIT | EXPORT_OPTION_EVERY,
    .write_directory = write_directory,
};
