/* The server, by libmicrohttpd. Its thread answers one request after the other: a pass over the capture uses all
 * processors already, and nothing that passes share needs a lock. */
#include "decode/serve/serve.h"

#ifdef HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/serve/address.h"
#include "decode/serve/request.h"
#include "decode/serve/token.h"

#define MOST_CONNECTIONS 16u
#define REQUEST_BYTES ((size_t)16 << 10) /* of a request's line and headers */
#define IDLE_SECONDS 120u
#define URL_SIZE (sizeof("http://[]:65535//") + INET6_ADDRSTRLEN + TOKEN_LENGTH)

struct server {
    const struct serve_options *options;
    struct serve_address address;
    int socket;
    struct MHD_Daemon *daemon;
    char token[TOKEN_LENGTH + 1]; /* empty: none is needed */
    char url[URL_SIZE];
};

bool server_is_there(void)
{
    return true;
}

/* --- answering ------------------------------------------------------------------------------------------------------
 */

static const char *const headers[][2] = {
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                                "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                                "frame-ancestors 'none'"},
};

/* Send text, and free it. */
static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *type, char *text,
                                 size_t size)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (status == REQUEST_METHOD)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    const enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result send_refusal(struct MHD_Connection *connection, unsigned status)
{
    const char *text = status == REQUEST_FORBIDDEN
                           ? "403: open the address that undertrace serve printed, with its token\n"
                       : status == REQUEST_METHOD    ? "405: only GET and HEAD are answered\n"
                       : status == SERVE_BAD_REQUEST ? "400: an argument is unknown, was given twice, or is too long\n"
                                                     : "404: unknown request\n";
    char *copy = strdup(text);
    return copy ? send_text(connection, status, "text/plain; charset=utf-8", copy, strlen(copy)) : MHD_NO;
}

struct arguments {
    struct serve_query query;
    const struct serve_route *route;
    bool bad;
};

static enum MHD_Result take_argument(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct arguments *arguments = context;
    (void)kind;
    arguments->bad |= !request_take_argument(&arguments->query, arguments->route, name, value);
    return MHD_YES;
}

static enum MHD_Result send_answer(struct server *server, struct MHD_Connection *connection,
                                   const struct serve_route *route)
{
    struct arguments arguments = {.route = route};
    char *text = NULL;
    size_t size = 0;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument, &arguments);
    if (arguments.bad)
        return send_refusal(connection, SERVE_BAD_REQUEST);
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return MHD_NO;
    const enum serve_status status = route->answer(server->options->context, &arguments.query, file);
    if (fclose(file) != 0) {
        free(text);
        return MHD_NO;
    }
    return send_text(connection, status, status == SERVE_GOOD ? route->type : "text/plain; charset=utf-8", text, size);
}

/* Called when the headers are known, for each part of a body, and at the end. Bodies are not kept. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    static char seen;
    struct server *server = context;
    (void)version;
    (void)upload;
    const struct request request = {method, path,
                                    MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)};
    const struct serve_route *route;
    const enum request_status status =
        request_check(&request, &server->address, server->token, server->options, &route);
    if (status != REQUEST_GOOD && !*state)
        return send_refusal(connection, status);
    if (!*state || *upload_size > 0) {
        *state = &seen;
        *upload_size = 0;
        return MHD_YES;
    }
    return send_answer(server, connection, route);
}

/* --- opening and closing --------------------------------------------------------------------------------------------
 */

union socket_address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static union socket_address socket_address_of(const struct serve_address *address, uint16_t port)
{
    union socket_address of = {0};
    if (address->is_ipv6) {
        of.ipv6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
        memcpy(&of.ipv6.sin6_addr, address->bytes, sizeof(of.ipv6.sin6_addr));
    } else {
        of.ipv4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
        memcpy(&of.ipv4.sin_addr, address->bytes, sizeof(of.ipv4.sin_addr));
    }
    return of;
}

/* Returns the port; 0: errno says why not. */
static uint16_t listen_at(struct server *server)
{
    const struct serve_address *address = &server->address;
    union socket_address at = socket_address_of(address, server->options->port);
    socklen_t size = address->is_ipv6 ? sizeof(at.ipv6) : sizeof(at.ipv4);
    const int yes = 1;
    server->socket = socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->socket < 0 || setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(server->socket, &at.any, size) != 0 || listen(server->socket, (int)MOST_CONNECTIONS) != 0 ||
        getsockname(server->socket, &at.any, &size) != 0)
        return 0;
    return ntohs(address->is_ipv6 ? at.ipv6.sin6_port : at.ipv4.sin_port);
}

static void make_url(struct server *server, uint16_t port)
{
    char text[INET6_ADDRSTRLEN];
    const bool is_ipv6 = server->address.is_ipv6;
    inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, server->address.bytes, text, sizeof(text));
    snprintf(server->url, sizeof(server->url), is_ipv6 ? "http://[%s]:%u/%s%s" : "http://%s:%u/%s%s", text, port,
             server->token, server->token[0] ? "/" : "");
}

struct server *server_open(const struct serve_options *options, struct error *error)
{
    struct server *server = calloc(1, sizeof(*server));
    uint16_t port = 0;
    if (!server) {
        error_set(error, ERROR_MEMORY, 0, "the server");
        return NULL;
    }
    server->options = options;
    server->socket = -1;
    if (!serve_address_parse(&server->address, options->address))
        error_set(error, ERROR_SERVE_ADDRESS, 0, "%s", options->address);
    else if (!options->no_token && !token_make(server->token))
        error_set(error, ERROR_SERVE_TOKEN, 0, "%s", "");
    else if ((port = listen_at(server)) == 0)
        error_set(error, ERROR_SERVE_PORT, options->port, "%s", options->address);
    if (port == 0) {
        server_close(server);
        return NULL;
    }
    make_url(server, port);
    return server;
}

bool server_start(struct server *server, struct error *error)
{
    server->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, handle, server,
                                      MHD_OPTION_LISTEN_SOCKET, server->socket, MHD_OPTION_CONNECTION_LIMIT,
                                      MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_BYTES,
                                      MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
    return server->daemon || error_set(error, ERROR_MEMORY, 0, "the server's thread");
}

const char *server_url(const struct server *server)
{
    return server->url;
}

bool server_is_loopback(const struct server *server)
{
    return serve_address_is_loopback(&server->address);
}

void server_close(struct server *server)
{
    if (server && server->daemon)
        MHD_stop_daemon(server->daemon); /* closes the socket */
    else if (server && server->socket >= 0)
        close(server->socket);
    free(server);
}
#else
bool server_is_there(void)
{
    return false;
}

struct server *server_open(const struct serve_options *options, struct error *error)
{
    (void)options;
    error_set(error, ERROR_MEMORY, 0, "the server");
    return NULL;
}

bool server_start(struct server *server, struct error *error)
{
    (void)server;
    (void)error;
    return false;
}

const char *server_url(const struct server *server)
{
    (void)server;
    return "";
}

bool server_is_loopback(const struct server *server)
{
    (void)server;
    return true;
}

void server_close(struct server *server)
{
    (void)server;
}
#endif
