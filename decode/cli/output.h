/* Output files of commands: none may be an input, and each must be written completely. */
#ifndef DECODE_OUTPUT_H
#define DECODE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Is name neither a file of the capture in this directory, nor a possible one? false: a message says that it is. */
bool output_spares(const char *name, const char *directory);

/* Open a file for writing; "-" is standard output. NULL: a message says why. A file of the capture is refused and
 * unchanged. */
FILE *output_open(const char *name, const char *directory);

/* The same for a file that is only of use if it is complete: it is NAME.part until output_finish. */
FILE *output_begin_whole(const char *name, const char *directory);

/* Close the file, which may be NULL. good: it is complete, and replaces a file of that name; otherwise what was written
 * is removed. false: it could not be written completely; a message says why. */
bool output_finish(FILE *file, const char *name, bool good);

/* Close the file, which may be NULL. false: it could not be written completely; a message says why. Standard output
 * stays open: see output_end. */
bool output_close(FILE *file, const char *name);

/* Call before the first write to standard output. */
void output_begin(void);

/* Call at the program's end: was standard output written completely? false: a message says why. */
bool output_end(void);

#endif
