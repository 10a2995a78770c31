/*
 * Names for addresses, without the guest's help: of the kernel, by the kallsyms tables in its image, or by a file like
 * System.map; of modules and of programs, by ELF files whose code the captured pages hold. What no file has stays
 * without a name.
 */
#ifndef DECODE_NAMES_H
#define DECODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/code/code_pages.h"
#include "decode/names/tasks.h"

/* Where names are looked for. All may be missing: then nothing has a name. */
struct names_options {
    const char *kernel;       /* a bzImage or vmlinux; NULL: none */
    const char *symbols;      /* a file like System.map or /proc/kallsyms, of the kernel; NULL: none */
    const char *const *files; /* ELF files, or directories that are searched for them: programs, libraries, modules */
    size_t nr_files;
};

/* A function, or a stretch of code of which no more is known than what it belongs to. */
struct name {
    uint64_t begin, end; /* linear addresses; end is behind its last byte, as far as is known */
    const char *symbol;  /* NULL: not known */
    const char *object;  /* "vmlinux", a module's name, a file's; NULL: not known */
    uint32_t number;     /* from 0 on, without holes: below names_count() */
};

struct names;

/* NULL: error says which file cannot be read, or is none of its kind. That nothing in it fits the capture is no error:
 * names_about() tells. The capture must stay open, and the pages that are given to the functions below stay where they
 * are; one thread at a time may call them. */
struct names *names_open(const struct capture *capture, const struct names_options *options, struct error *error);
void names_close(struct names *names);

/* What stands at an address of a space (CR3 as PIP tells it, or FLOW_CR3_UNKNOWN) at a trace offset of the CPU whose
 * pages these are. Never NULL; it stays where it is until names_close(). The same function at the same place yields the
 * same one. Quick where it was asked for before. */
const struct name *names_find(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                              uint64_t address);

/* The same for who knows that a branch leads there: where nothing is known to stand there yet, the fetch faults, and
 * what is there next is what runs. */
const struct name *names_called(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                                uint64_t address);

/* The name of a branch's target somewhere in a stretch of trace, offsets begin to end: what stood there at last, if it
 * was not unmapped by then, else what stood there first. *at: a trace offset at which it is so. */
struct names_stretch {
    uint64_t begin, end;
};
const struct name *names_within(struct names *names, const struct code_pages *pages, uint64_t cr3,
                                const struct names_stretch *stretch, uint64_t address, uint64_t *at);

/* The same for who knows that a function begins at address: where no symbol is known, a name that begins there, and has
 * no symbol. */
const struct name *names_entry(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                               uint64_t address);

/* The program that runs in a space at a trace offset of the CPU whose pages these are: its file's name, by its code
 * that the space had, or that names_find met there. NULL: not known. */
const char *names_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* The process that runs in a space at a trace offset, by number and name, where the guest's kernel has told. NULL: not
 * known. It stays where it is until names_close(). */
const struct name_task *names_task(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Has the guest's kernel told of any process? */
bool names_tell_processes(const struct names *names);

/* The thread of which the CPU's last record behind `after`, up to `at`, tells that it runs there. NULL: there is none,
 * which says nothing. It stays where it is until names_close(). */
const struct name_thread *names_thread(const struct names *names, const struct code_pages *pages, uint64_t after,
                                       uint64_t at);

/* Program or process, for people: "systemd-udevd (123)", else the program's file. NULL: not known. */
const char *names_process_text(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Is it the process that somebody calls so: by its name, as pid:123, or by its program's file? */
bool names_is_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      const char *called);

/* The kernel's functions by address, whether anybody has asked for them or not: the next one at or behind *position,
 * which moves behind it. All but number is told. false: there are no more, or they are not known. */
bool names_kernel_function(const struct names *names, size_t *position, struct name *function);

/* An address as the file has it that its code is of: what names_find calls its object. Where that is not known, the
 * address itself. */
uint64_t names_linked(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      uint64_t address);

/* The file that code at an address is of, and the address as that file has it. NULL: not known; or the file has none
 * of its own, as a module's has not. It stays where it is until names_close(). */
const char *names_file(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                       uint64_t address, uint64_t *linked);

size_t names_count(const struct names *names);
const struct name *names_by_number(const struct names *names, uint32_t number);

/* What was found, for people: "kernel: 89,123 symbols, moved by 0x1c000000", a line each. NULL: no more. */
const char *names_about(const struct names *names, size_t line);

#endif
