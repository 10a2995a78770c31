#include "decode/serve/request.h"

#include <string.h>

#include "decode/serve/token.h"

/* What follows the token in the path; NULL: the token is missing or wrong. */
static const char *after_token(const char *path, const char *token)
{
    if (path[0] != '/')
        return NULL;
    const char *begin = path + 1, *end = begin + strcspn(begin, "/");
    if (token[0] == '\0')
        return begin;
    return *end == '/' && token_equals(token, begin, (size_t)(end - begin)) ? end + 1 : NULL;
}

enum request_status request_check(const struct request *request, const struct serve_address *address, const char *token,
                                  const struct serve_options *options, const struct serve_route **route)
{
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return REQUEST_METHOD;
    if (!serve_address_has_host(address, request->host))
        return REQUEST_FORBIDDEN;
    const char *name = after_token(request->path, token);
    if (!name)
        return REQUEST_FORBIDDEN;
    for (size_t i = 0; i < options->nr_routes; i++)
        if (!strcmp(options->routes[i].name, name)) {
            *route = &options->routes[i];
            return REQUEST_GOOD;
        }
    return REQUEST_UNKNOWN;
}

bool request_take_argument(struct serve_query *query, const struct serve_route *route, const char *name,
                           const char *value)
{
    for (size_t i = 0; i < SERVE_MAX_ARGUMENTS && route->arguments[i]; i++) {
        if (strcmp(route->arguments[i], name) != 0)
            continue;
        if (query->values[i] || !value || strnlen(value, SERVE_VALUE_MAX + 1) > SERVE_VALUE_MAX)
            return false;
        query->values[i] = value;
        return true;
    }
    return false;
}
