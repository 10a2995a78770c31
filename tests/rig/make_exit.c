/*
 * A function for GNU make: $(make-exit STATUS) ends make with that status, where a recipe that fails would have it end
 * with 2. The Makefile loads it for the goal run-kvm alone.
 *
 * Source: GNU make's manual, "Loaded Object Interface".
 */
#include <gnumake.h>
#include <stdlib.h>

extern int plugin_is_GPL_compatible; /* make loads no object without it; MIT is */
int plugin_is_GPL_compatible;

int make_exit_gmk_setup(void);

static char *make_exit(const char *name, unsigned nr_words, char **words)
{
    (void)name;
    (void)nr_words;
    exit(atoi(words[0]));
}

int make_exit_gmk_setup(void)
{
    gmk_add_function("make-exit", make_exit, 1, 1, GMK_FUNC_DEFAULT);
    return 1; /* 0: it did not load */
}
