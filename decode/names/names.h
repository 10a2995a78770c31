/*
 * Names for addresses, without the guest's help. The kernel's come from the kallsyms tables in its image, or from a
 * file like System.map; those of modules and programs from ELF files whose code is found in the captured pages. Code
 * that no file contains stays without a name.
 */
#ifndef DECODE_NAMES_H
#define DECODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/code/code_pages.h"
#include "decode/names/tasks.h"

/* The files that are searched. All may be missing: then nothing has a name. */
struct names_options {
    const char *kernel;       /* a bzImage or vmlinux; NULL: none */
    const char *symbols;      /* a file like System.map or /proc/kallsyms, of the kernel; NULL: none */
    const char *const *files; /* ELF files, or directories that are searched for them: programs, libraries, modules */
    size_t nr_files;
    const char *const *debug; /* debug files, and directories that are searched for them; nr_debug 0: files */
    size_t nr_debug;
    /* The path of a debug file that is on no disk yet, by its build ID; name: for messages. NULL: it is nowhere; else
     * free() it. fetch NULL: do not fetch. */
    char *(*fetch)(const uint8_t *id, size_t id_size, const char *name);
};

/* A function, or a range of code of which at most the object is known. */
struct name {
    uint64_t begin, end; /* linear addresses; end is one past its last byte, as far as is known */
    const char *symbol;  /* NULL: not known */
    const char *object;  /* "vmlinux", the name of a module or a file; NULL: not known */
    uint32_t number;     /* consecutive from 0, below names_count() */
    const char *shown;   /* for people: the symbol, or what it encodes in C++ or Rust */
};

struct names;

/* Is it an ELF file, or a directory? A path that the user gives must be. false: error says why. */
bool names_check_path(const char *path, struct error *error);

/* NULL: error says which file cannot be read or has the wrong type. A file that does not match the capture is no error:
 * names_about() reports it. The capture must stay open, and the code_pages that are passed to the functions below must
 * not move. Only one thread may call them at a time. */
struct names *names_open(const struct capture *capture, const struct names_options *options, struct error *error);
void names_close(struct names *names);

/* The name at an address of a space (the CR3 of a PIP packet, or FLOW_CR3_UNKNOWN), at a trace offset of the CPU that
 * the pages belong to. Never NULL; valid until names_close(). One function at one address always yields the same
 * pointer. Repeated lookups are answered from a cache. */
const struct name *names_find(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                              uint64_t address);

/* The same for the target of a branch. If no page is mapped there yet, the fetch faults, and the page that is mapped
 * next is the one that runs. */
const struct name *names_called(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                                uint64_t address);

/* The name of a branch target somewhere in a range of trace offsets, begin to end: of the code that is mapped there at
 * the end, or if nothing is, of the first code that was mapped there within the range. *at: a trace offset at which
 * that code is mapped. */
struct names_stretch {
    uint64_t begin, end;
};
const struct name *names_within(struct names *names, const struct code_pages *pages, uint64_t cr3,
                                const struct names_stretch *stretch, uint64_t address, uint64_t *at);

/* The same for an address at which a function is known to begin. If no symbol is known, the name begins at the address
 * and has no symbol. */
const struct name *names_entry(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                               uint64_t address);

/* The file name of the program that runs in a space at a trace offset of the CPU that the pages belong to. It is found
 * by the program's pages that were mapped in the space, or that names_find met there. NULL: not known. */
const char *names_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* The process (PID and name) that runs in a space at a trace offset, by the capture's TASK records. NULL: not known.
 * Valid until names_close(). */
const struct name_task *names_task(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Does the capture have TASK records? */
bool names_has_processes(const struct names *names);

/* The thread of the CPU's last TASK record with an offset in (after, at]. NULL: there is no such record, so the thread
 * is not known. Valid until names_close(). */
const struct name_thread *names_thread(const struct names *names, const struct code_pages *pages, uint64_t after,
                                       uint64_t at);

/* The process as text, "systemd-udevd (123)", else the program's file name. NULL: not known. */
const char *names_process_text(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at);

/* Does `called` name the process that runs there: by its name, as pid:123, or by its program's file name? */
bool names_is_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      const char *called);

/* Iterate over all functions of the kernel, by address. *position starts at 0 and advances. Sets all fields but
 * number. false: there are no more, or they are not known. */
bool names_kernel_function(const struct names *names, size_t *position, struct name *function);

/* An address as it is in the file that its code comes from (the object of names_find). If that is not known, the
 * address itself. */
uint64_t names_linked(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      uint64_t address);

/* The path of the file that the code at an address comes from, and the address as it is in that file. NULL: not known,
 * or the file has no addresses of its own: that of a module. Valid until names_close(). */
const char *names_file(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                       uint64_t address, uint64_t *linked);

size_t names_count(const struct names *names);
const struct name *names_by_number(const struct names *names, uint32_t number);

/* A file that names come from. */
struct names_source {
    const char *path;
    const uint8_t *id; /* its build ID; NULL: it has none */
    size_t id_size;
};

/* The kernel's image. false: none was given, or it is not the capture's. */
bool names_kernel_source(const struct names *names, struct names_source *source);

/* Iterate over the files that contain pages of the capture, in the order in which they were found: *position starts at
 * 0 and advances. false: there are no more. */
bool names_file_source(const struct names *names, size_t *position, struct names_source *source);

/* A debug file, or a directory that was searched for them. NULL: there are no more. */
const char *names_debug_directory(const struct names *names, size_t number);

/* The first of these kernel images that is the capture's: its pages are compared as by names_open. Files that are no
 * kernels are passed over. Returns nr_kernels if no file is. */
size_t names_search_kernel(const struct capture *capture, const char *const *kernels, size_t nr_kernels);

/* A line of the summary of what was found: "kernel: 89123 symbols of its kallsyms, moved by 0x1c000000: ...".
 * NULL: there are no more. */
const char *names_about(const struct names *names, size_t line);

#endif
