/* The files that commands write: none of them may be one that is read, and all must have been written to their end. */
#ifndef DECODE_OUTPUT_H
#define DECODE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Is name no file of the capture in this directory, and none that it could have? false: said that it is. */
bool output_spares(const char *name, const char *directory);

/* Open a file for writing, "-" is standard output. NULL: said why; a file of the capture is refused, and left alone. */
FILE *output_open(const char *name, const char *directory);

/* Close it; NULL is none. false: it could not be written to its end, said why. Standard output stays open: see below.
 */
bool output_close(FILE *file, const char *name);

/* Before anything is written to standard output. */
void output_begin(void);

/* At the program's end, whichever command it was: was standard output written? false: said why. */
bool output_end(void);

#endif
