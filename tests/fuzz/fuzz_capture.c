/*
 * Any bytes as a capture's files: what is read is a capture, a part of one, or an error.
 *
 * The input: a byte of which files there are, three sizes of two bytes, and the files one after the other: events.bin,
 * index, checksums, and the rest is cpu0.pt.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/capture.h"
#include "decode/capture/capture_check.h"
#include "decode/flow/flow_run.h"
#include "tests/fuzz/fuzz.h"

static char directory[64];

static void remove_directory(void)
{
    static const char *const names[] = {"events.bin", "index", "checksums", "cpu0.pt", "meta.json"};
    char path[128];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

static void write_file(const char *name, bool wanted, const uint8_t *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    unlink(path);
    if (!wanted)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    DEMAND(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void make_directory(void)
{
    snprintf(directory, sizeof(directory), "%s/fuzz-capture-XXXXXX", access("/dev/shm", W_OK) ? "." : "/dev/shm");
    DEMAND(mkdtemp(directory));
    atexit(remove_directory);
}

static void decode(const struct capture *capture)
{
    const struct flow_run_options options = {.threads = 1, .needs = FLOW_NEED_HASH};
    struct flow_run run;
    struct error error = {0};
    flow_run(&run, capture, &options, &error);
    flow_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"events.bin", "index", "checksums", "cpu0.pt"};
    static const char meta[] = "{\"capture_format\": 1}\n";
    struct error error = {0};
    if (size < 7)
        return 0;
    if (!directory[0])
        make_directory();
    const uint8_t *at = data + 7;
    for (unsigned i = 0; i < 4; i++) {
        const size_t left = size - (size_t)(at - data);
        size_t part = i < 3 ? (size_t)(data[1 + 2 * i] | data[2 + 2 * i] << 8) : left;
        part = part < left ? part : left;
        write_file(names[i], (data[0] >> i & 1) == 0, at, part);
        at += part;
    }
    write_file("meta.json", (data[0] & 16) == 0, (const uint8_t *)meta, sizeof(meta) - 1);
    struct capture *capture = capture_open(directory, &error);
    if (!capture) {
        DEMAND(error.kind != 0);
        return 0;
    }
    if (capture->cpus[0].present)
        decode(capture);
    capture_close(capture);
    return 0;
}
