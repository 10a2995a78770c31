#include "decode/cli/options/fetch_file.h"

#ifdef HAVE_LIBDEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/cli/message.h"
#include "decode/names/build_id.h"

typedef int finder(debuginfod_client *client, const unsigned char *id, int id_size, char **path);

/* A server that does not answer would be waited for once for each file. */
static bool unreachable;

static bool is_wanted(size_t id_size)
{
    const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);
    return urls && *urls && !unreachable && id_size > 0 && id_size <= BUILD_ID_SIZE;
}

/* The library is loaded when it is needed: with all that it needs itself, it would double the time to start. libdw does
 * the same. */
struct library {
    debuginfod_client *(*begin)(void);
    void (*end)(debuginfod_client *client);
    finder *find;
};

static bool library_open(struct library *library, const char *find)
{
    void *handle = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY);
    if (!handle)
        return false;
    *(void **)&library->begin = dlsym(handle, "debuginfod_begin");
    *(void **)&library->end = dlsym(handle, "debuginfod_end");
    *(void **)&library->find = dlsym(handle, find);
    return library->begin && library->end && library->find;
}

static char *fetch(const char *find, const uint8_t *id, size_t id_size, const char *kind, const char *name)
{
    struct library library;
    char text[BUILD_ID_TEXT_SIZE], *path = NULL;
    if (!is_wanted(id_size))
        return NULL;
    debuginfod_client *client = library_open(&library, find) ? library.begin() : NULL;
    if (!client) {
        message_print("debuginfod: " DEBUGINFOD_SONAME
                      " cannot be loaded: install libdebuginfod1, or unset " DEBUGINFOD_URLS_ENV_VAR);
        unreachable = true;
        return NULL;
    }
    message_print("debuginfod: %s of %s, build ID %s", kind, name, build_id_text(text, id, id_size));
    const int found = library.find(client, id, (int)id_size, &path);
    library.end(client);
    if (found >= 0) {
        close(found);
        return path;
    }
    if (found != -ENOENT) {
        message_print("debuginfod: %s; this command fetches nothing else", strerror(-found));
        unreachable = true;
    }
    return NULL;
}

char *fetch_debug_file(const uint8_t *id, size_t id_size, const char *name)
{
    return fetch("debuginfod_find_debuginfo", id, id_size, "the debug file", name);
}

char *fetch_file(const uint8_t *id, size_t id_size, const char *name)
{
    return fetch("debuginfod_find_executable", id, id_size, "the file", name);
}
#else
char *fetch_debug_file(const uint8_t *id, size_t id_size, const char *name)
{
    (void)id;
    (void)id_size;
    (void)name;
    return NULL;
}

char *fetch_file(const uint8_t *id, size_t id_size, const char *name)
{
    return fetch_debug_file(id, id_size, name);
}
#endif
