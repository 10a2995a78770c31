#include "decode/receive/receive_uart.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/receive/uart_stream.h"
#include "serial/wire/command.h"
#include "serial/wire/crc32c.h"

#define WAIT_MILLISECONDS 100
#define PACE_BYTES 16 /* the UART's receive FIFO, which the hypervisor empties at least every 10 ms */
#define PACE_SECONDS 0.2

/* A command that is being sent: docs/wire.md, "Over a serial line". */
struct command_out {
    int fd;
    size_t used, at;
    double written;
    uint8_t bytes[COMMAND_FRAME_MAX + 4];
};

static bool send_command(void *context, const uint8_t *frame, size_t size)
{
    struct command_out *out = context;
    uint32_t crc = crc32c(frame + FRAME_HEADER_SIZE, size - FRAME_HEADER_SIZE);
    if (out->at < out->used)
        return false;
    memcpy(out->bytes, frame, size);
    memcpy(out->bytes + size, &crc, sizeof(crc));
    out->used = size + sizeof(crc);
    out->at = 0;
    return true;
}

/* Send its next bytes, if the pause is over. */
static void pace_command(struct command_out *out)
{
    size_t left = out->used - out->at;
    if (left == 0 || monotonic_seconds() - out->written < PACE_SECONDS)
        return;
    ssize_t size = write(out->fd, out->bytes + out->at, left < PACE_BYTES ? left : PACE_BYTES);
    out->written = monotonic_seconds();
    out->at += size > 0 ? (size_t)size : 0;
}

static int open_unix_socket(const char *path, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path)) {
        error_set(error, ERROR_NAME_TOO_LONG, 0, "%s", path);
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    error_set(error, ERROR_CANNOT_CONNECT, 0, "%s", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* HOST:PORT. -2: it does not have this form. */
static int open_tcp(const char *source, struct error *error)
{
    char host[256];
    const char *colon = strrchr(source, ':');
    if (!colon || colon == source || (size_t)(colon - source) >= sizeof(host))
        return -2;
    snprintf(host, sizeof(host), "%.*s", (int)(colon - source), source);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int status = getaddrinfo(host, colon + 1, &hints, &found);
    if (status) {
        error_set(error, ERROR_NO_HOST, (uint64_t)-status, "%s", source);
        return -1;
    }
    int fd = -1;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd < 0)
        error_set(error, ERROR_CANNOT_CONNECT, 0, "%s", source);
    return fd;
}

/* Does nothing if fd is not a terminal. */
static bool set_raw(int fd, const char *name, uint32_t baud, struct error *error)
{
    static const struct {
        uint32_t baud;
        speed_t speed;
    } speeds[] = {{1200, B1200},     {2400, B2400},     {4800, B4800},    {9600, B9600},
                  {19200, B19200},   {38400, B38400},   {57600, B57600},  {115200, B115200},
                  {230400, B230400}, {460800, B460800}, {921600, B921600}};
    struct termios settings;
    size_t i = 0;
    if (tcgetattr(fd, &settings) != 0)
        return true;
    while (i < sizeof(speeds) / sizeof(speeds[0]) && speeds[i].baud != baud)
        i++;
    if (i == sizeof(speeds) / sizeof(speeds[0]))
        return error_set(error, ERROR_NO_BAUD, baud, "%s", name);
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    cfsetispeed(&settings, speeds[i].speed);
    cfsetospeed(&settings, speeds[i].speed);
    return tcsetattr(fd, TCSANOW, &settings) == 0 || error_set(error, ERROR_CANNOT_SET_BAUD, baud, "%s", name);
}

static int open_source(const char *source, uint32_t baud, struct error *error)
{
    struct stat status;
    if (!strcmp(source, "-"))
        return dup(STDIN_FILENO);
    if (stat(source, &status) != 0) {
        int reason = errno;
        int fd = open_tcp(source, error);
        errno = reason;
        if (fd == -2)
            error_set(error, ERROR_CANNOT_OPEN, 0, "%s", source);
        return fd;
    }
    if (S_ISSOCK(status.st_mode))
        return open_unix_socket(source, error);
    int fd = open(source, O_NOCTTY | O_CLOEXEC | (S_ISCHR(status.st_mode) ? O_RDWR | O_NONBLOCK : O_RDONLY));
    if (fd < 0)
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", source);
    if (fd >= 0 && !set_raw(fd, source, baud, error)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void take_frame(void *context, const struct frame_header *header, const uint8_t *payload)
{
    reception_take(context, 0, header, payload);
}

#define COMMIT_SECONDS 0.1 /* what a killed receiver loses at most */

/* Nothing asks for answers, so the frames themselves must not wait. */
static bool commit(struct reception *reception, bool now)
{
    static double committed;
    static uint64_t frames;
    const double time = monotonic_seconds();
    if (frames == reception->frames.counts.frames || (!now && time - committed < COMMIT_SECONDS))
        return !reception->store_failed;
    committed = time;
    frames = reception->frames.counts.frames;
    return reception_commit(reception);
}

/* Read once. At the end of a file that grows, wait for more. */
static enum reception_outcome read_some(struct reception *reception, int fd, bool grows, struct uart_stream *stream,
                                        int wait_milliseconds)
{
    static uint8_t bytes[65536];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (!grows && poll(&wait, 1, wait_milliseconds) <= 0)
        return commit(reception, true) ? RECEPTION_CONTINUES : RECEPTION_FAILED;
    ssize_t size = read(fd, bytes, sizeof(bytes));
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return RECEPTION_CONTINUES;
    if (size < 0) {
        error_set(&reception->error, ERROR_UART, 0, "UART");
        return RECEPTION_FAILED;
    }
    if (size == 0) {
        if (!commit(reception, true))
            return RECEPTION_FAILED;
        if (!grows)
            return RECEPTION_SOURCE_END;
        poll(NULL, 0, WAIT_MILLISECONDS);
        return RECEPTION_CONTINUES;
    }
    uart_stream_take(stream, bytes, (size_t)size, take_frame, reception);
    if (stream->bad_version)
        reception->other_version = stream->version;
    return commit(reception, false) ? RECEPTION_CONTINUES : RECEPTION_FAILED;
}

enum reception_outcome receive_uart(struct reception *reception, const char *source, uint32_t baud)
{
    static struct uart_stream stream;
    struct stat status;
    int fd = open_source(source, baud, &reception->error);
    if (fd < 0)
        return RECEPTION_FAILED;
    bool grows = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    static struct command_out out;
    out.fd = fd;
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR) {
        reception->send = send_command;
        reception->send_context = &out;
    }
    enum reception_outcome outcome;
    while ((outcome = reception_check(reception)) == RECEPTION_CONTINUES) {
        pace_command(&out);
        outcome = read_some(reception, fd, grows, &stream, out.at < out.used ? 5 : WAIT_MILLISECONDS);
        if (outcome != RECEPTION_CONTINUES)
            break;
    }
    uart_stream_end(&stream, take_frame, reception);
    if (stream.bad_version)
        reception->other_version = stream.version;
    reception->bad_frames += stream.bad_frames;
    reception->garbage += stream.garbage;
    close(fd);
    return outcome == RECEPTION_SOURCE_END && store_totals(reception->store)->ended ? RECEPTION_ENDED : outcome;
}
