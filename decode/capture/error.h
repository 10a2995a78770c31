/*
 * Errors as values: only cli/ prints. The texts are in cli/text/error_text.c.
 */
#ifndef DECODE_ERROR_H
#define DECODE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* The comments give the meaning of name and number for each kind. "errno": system is set. */
enum error_kind {
    ERROR_NONE,
    ERROR_MEMORY,          /* name: what the memory was for */
    ERROR_CANNOT_OPEN,     /* name: file; errno */
    ERROR_CANNOT_MAKE,     /* name: file; errno */
    ERROR_CANNOT_WRITE,    /* name: file; errno */
    ERROR_CANNOT_WRITE_AT, /* name: file; number: offset; errno */
    ERROR_NOT_EMPTY,       /* name: directory */
    ERROR_IN_USE,          /* name: directory */
    ERROR_NO_RESUME,       /* name: directory or file, and why */
    ERROR_TOO_MANY_CPUS,   /* number: CPU of a frame */
    ERROR_NO_CAPTURE,      /* name: directory or file in it; errno */
    ERROR_NEWER_FORMAT,    /* name: directory; number: its capture_format */
    ERROR_NO_TRACE,        /* name: file; number: CPU */
    ERROR_CANNOT_LISTEN,   /* name: socket; errno */
    ERROR_NO_ADDRESS,      /* name */
    ERROR_NO_TARGET,       /* name */
    ERROR_NO_PORT,         /* name: address; number: port; errno */
    ERROR_UDP,             /* errno */
    ERROR_NAME_TOO_LONG,   /* name: socket */
    ERROR_CANNOT_CONNECT,  /* name: socket or host; errno */
    ERROR_NO_HOST,         /* name: host; number: EAI_*, negated */
    ERROR_NO_BAUD,         /* number */
    ERROR_CANNOT_SET_BAUD, /* name: terminal; number; errno */
    ERROR_UART,            /* errno */
    ERROR_MAP_RECORD,      /* name: what is wrong with it; number: its offset in events.bin */
    ERROR_NO_TRUTH,        /* name: file */
    ERROR_TRUTH_ENTRY,     /* name: file; number: offset */
    ERROR_NO_SYMBOLS,      /* name: file */
    ERROR_IMAGE_SPEC,      /* name: the argument, which should be FILE@VADDR */
    ERROR_IMAGE_SHORT,     /* name: file; number: its size */
    ERROR_IMAGE_ADDRESS,   /* name: file; number: its address */
    ERROR_IMAGE_TWICE,     /* number: address */
    ERROR_NO_ELF,          /* name: file */
    ERROR_PERF,            /* name: file, and what is wrong; number: the offset, or 0 */
    ERROR_NO_PSB,          /* name: file; number: its size */
    ERROR_SHARD,           /* name: file; number: line */
    ERROR_NAMES,           /* name: file, and what is wrong */
    ERROR_NOT_EXECUTED,    /* name: object */
    ERROR_SIDE_FILE,       /* name: file in the capture's directory */
    ERROR_SERVE_ADDRESS,   /* name */
    ERROR_SERVE_PORT,      /* name: address; number: port; errno */
    ERROR_SERVE_TOKEN,     /* errno */
    ERROR_NR_KINDS
};

struct error {
    enum error_kind kind;
    int system; /* errno when it was set */
    uint64_t number;
    char name[512];
};

/* Set the error, unless it is set already: the first one is reported. Returns false, for the caller to return. */
bool error_set(struct error *error, enum error_kind kind, uint64_t number, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

#endif
