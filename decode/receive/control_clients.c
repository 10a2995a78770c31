#include "decode/receive/control_clients.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"

void control_clients_init(struct control_clients *clients)
{
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        clients->items[i].fd = -1;
}

void control_clients_free(struct control_clients *clients)
{
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        control_client_end(&clients->items[i]);
}

void control_client_send(const struct control_client *client, const char *bytes, size_t size)
{
    (void)!send(client->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void control_client_end(struct control_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    *client = (struct control_client){.fd = -1};
}

void control_client_refuse(struct control_client *client, const char *why)
{
    char text[128];
    int size = snprintf(text, sizeof(text), "result %s\n", why);
    control_client_send(client, text, (size_t)size);
    control_client_end(client);
}

/* The client that connected first, of those whose line is complete, or is not. */
static struct control_client *oldest(struct control_clients *clients, bool complete)
{
    struct control_client *found = NULL;
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &clients->items[i];
        if (client->fd >= 0 && client->complete == complete && (!found || client->since < found->since))
            found = client;
    }
    return found;
}

struct control_client *control_clients_first(struct control_clients *clients)
{
    return oldest(clients, true);
}

/* A place for a new client; NULL: each has a client with a whole line. */
static struct control_client *free_place(struct control_clients *clients)
{
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (clients->items[i].fd < 0)
            return &clients->items[i];
    struct control_client *client = oldest(clients, false);
    if (client)
        control_client_refuse(client, "no whole line arrived, and other clients wait");
    return client;
}

static void accept_all(struct control_clients *clients, int listener)
{
    struct control_client *place;
    while ((place = free_place(clients))) {
        place->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        place->since = monotonic_seconds();
        if (place->fd < 0)
            return;
    }
}

static void read_client(struct control_client *client)
{
    ssize_t size = recv(client->fd, client->line + client->used, CONTROL_LINE_MAX - client->used, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    client->used += size > 0 ? (size_t)size : 0;
    client->line[client->used] = 0;
    char *end = memchr(client->line, '\n', client->used);
    if (end) {
        *end = 0;
        client->complete = true;
    } else if (size <= 0 || client->used == CONTROL_LINE_MAX) {
        control_client_refuse(client, "the line is not a command, or is too long");
    }
}

void control_clients_serve(struct control_clients *clients, int listener)
{
    accept_all(clients, listener);
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (clients->items[i].fd >= 0 && !clients->items[i].complete)
            read_client(&clients->items[i]);
}
