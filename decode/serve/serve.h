/*
 * A small HTTP server for the one user who started it: it answers GET and HEAD for a table of routes, one request at a
 * time. A URL is http://ADDRESS:PORT/TOKEN/ROUTE?NAME=VALUE. Requests without the token are refused, and those
 * of another site whose name was pointed at this address (DNS rebinding). Files are not served, and nothing is stored.
 *
 * Only this room knows libmicrohttpd, and only it knows HTTP; the routes' answers come from the caller.
 */
#ifndef DECODE_SERVE_H
#define DECODE_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/error.h"

#define SERVE_MAX_ARGUMENTS 8u
#define SERVE_VALUE_MAX 64u /* bytes of an argument's value */

struct serve_query {
    const char *values[SERVE_MAX_ARGUMENTS]; /* of the route's arguments; NULL: not given */
};

/* Statuses that answers return. */
enum serve_status { SERVE_GOOD = 200, SERVE_BAD_REQUEST = 400, SERVE_FAILED = 500 };

struct serve_route {
    const char *name; /* what follows the token in the path; "": the page itself */
    const char *type; /* MIME type of a good answer */
    const char *arguments[SERVE_MAX_ARGUMENTS];
    /* Write the answer to the file; of other statuses than SERVE_GOOD one line that says what is wrong. */
    enum serve_status (*answer)(void *context, const struct serve_query *query, FILE *file);
};

struct serve_options {
    const char *address; /* an IP address, or localhost */
    uint16_t port;       /* 0: any free one */
    bool no_token;
    const struct serve_route *routes;
    size_t nr_routes;
    void *context; /* of the routes */
};

struct server;

/* Was the program built with libmicrohttpd? */
bool server_is_there(void);

/* Reserve the port: connections wait until server_start. options must remain. NULL: error says why. */
struct server *server_open(const struct serve_options *options, struct error *error);

/* Answer, in a thread of its own. false: error says why. */
bool server_start(struct server *server, struct error *error);

/* The URL of the page, with the token. */
const char *server_url(const struct server *server);

/* Only programs of this machine reach it. */
bool server_is_loopback(const struct server *server);

/* Finish the request under way, and close everything. server may be NULL. */
void server_close(struct server *server);

#endif
