/* What a request asks for, and whether it may. Pure. */
#ifndef DECODE_SERVE_REQUEST_H
#define DECODE_SERVE_REQUEST_H

#include "decode/serve/address.h"
#include "decode/serve/serve.h"

struct request {
    const char *method, *path; /* the path is decoded, and has no query */
    const char *host;          /* the Host header; NULL: none */
};

enum request_status {
    REQUEST_GOOD = 200,
    REQUEST_FORBIDDEN = 403, /* wrong host, wrong token */
    REQUEST_UNKNOWN = 404,   /* no such route */
    REQUEST_METHOD = 405     /* neither GET nor HEAD */
};

/* token "": none is needed. *route is set with REQUEST_GOOD only. */
enum request_status request_check(const struct request *request, const struct serve_address *address, const char *token,
                                  const struct serve_options *options, const struct serve_route **route);

/* Take an argument of the query. false: the route has no such argument, it was given twice, or its value is missing or
 * too long. The value must remain. */
bool request_take_argument(struct serve_query *query, const struct serve_route *route, const char *name,
                           const char *value);

#endif
