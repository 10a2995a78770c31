/*
 * The clients of a receiver's control socket: each sends one line, and gets the answers to it. A client that sends
 * nothing, or does not read, does not delay the others.
 */
#ifndef DECODE_CONTROL_CLIENTS_H
#define DECODE_CONTROL_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "serial/wire/command.h"

#define CONTROL_CLIENTS 16u
#define CONTROL_LINE_MAX (COMMAND_TEXT_MAX + 16u)

struct control_client {
    int fd; /* -1: this place is free */
    bool complete;
    double since; /* when it connected */
    size_t used;
    char line[CONTROL_LINE_MAX + 1]; /* once complete, without the line feed */
};

struct control_clients {
    struct control_client items[CONTROL_CLIENTS];
};

void control_clients_init(struct control_clients *clients);
void control_clients_free(struct control_clients *clients);

/* Accept new clients, and read what they have sent. If there are too many, the one that has waited longest without a
 * whole line is refused. */
void control_clients_serve(struct control_clients *clients, int listener);

/* The client that was first of those whose line is complete; NULL: there is none. */
struct control_client *control_clients_first(struct control_clients *clients);

/* Pass bytes to a client, if it reads them. */
void control_client_send(const struct control_client *client, const char *bytes, size_t size);

/* Disconnect it. */
void control_client_end(struct control_client *client);

/* Answer it with the reason, and disconnect it. */
void control_client_refuse(struct control_client *client, const char *why);

#endif
