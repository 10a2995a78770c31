/* What hostile.c calls in its other files. */
#ifndef TESTS_GUESTS_HOSTILE_H
#define TESTS_GUESTS_HOSTILE_H

void hostile_strings(void);

#endif
