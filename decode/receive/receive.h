/*
 * Receiving: what the UDP and the UART way share.
 */
#ifndef DECODE_RECEIVE_H
#define DECODE_RECEIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/progress.h"
#include "decode/receive/control.h"
#include "decode/receive/reassemble.h"
#include "decode/receive/store.h"

struct reception {
    struct store *store;
    struct progress *progress;
    struct control *control;
    control_send *send; /* how commands go to the sender, with send_context; NULL: this source takes none */
    void *send_context;
    struct reassemble frames;
    uint64_t bad_frames; /* datagrams or runs of bytes that were no frame */
    bool store_failed;
    double last_frame;      /* progress_now() of the last frame of our stream id; the start before the first */
    double timeout_seconds; /* give up after so long without a frame, 0 = never */
    double linger_seconds;  /* answer repeated frames so long after the end record */
};

enum reception_outcome {
    RECEPTION_GOES_ON,
    RECEPTION_ENDED,       /* the end record is stored, and so is everything before it */
    RECEPTION_TIMEOUT,     /* nothing came for timeout_seconds */
    RECEPTION_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
    RECEPTION_SOURCE_END,  /* the UART's file or socket ended before the end record */
    RECEPTION_FAILED       /* said why */
};

/* Set by the signal handlers. */
extern volatile sig_atomic_t reception_stop;

/* Call at least a few times a second: shows progress, and says whether to go on. */
enum reception_outcome reception_check(struct reception *reception);

/* Receive datagrams at address (NULL: all) and port, answering as docs/wire.md says. */
enum reception_outcome receive_udp(struct reception *reception, const char *address, uint16_t port);

/* Receive the UART's bytes from a file that grows, FIFO, terminal (set to raw at baud), UNIX socket, HOST:PORT, or
 * "-". */
enum reception_outcome receive_uart(struct reception *reception, const char *source, uint32_t baud);

#endif
