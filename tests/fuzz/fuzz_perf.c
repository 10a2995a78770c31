/* Any bytes as a perf.data file: what is read is a trace or an error, and the same whether all programs' spaces are
 * asked for or one's. Mapped files are looked for in an empty directory: none of the machine's own is opened. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/flow/flow_run.h"
#include "decode/foreign/perf_trace.h"
#include "tests/fuzz/fuzz.h"

static char directory[64], code[80];

static void remove_directory(void)
{
    unlink(code);
    rmdir(directory);
}

/* The only file is /c, so that traces can be followed: branches of all kinds, and then another program. */
static void make_directory(void)
{
    static const unsigned char bytes[36] = {0x74, 0x02, 0x90, 0xeb, 0xfb, 0xe8,        0x01, 0,    0,    0,
                                            0xc3, 0xff, 0xe0, 0xff, 0xd0, 0x0f,        0x05, 0x75, 0xee, 0x90,
                                            0xcc, 0x0f, 0xae, 0xe0, 0xc3, [32] = 0x90, 0x75, 0xfd, 0xc3};
    snprintf(directory, sizeof(directory), "%s/fuzz-perf-XXXXXX", access("/dev/shm", W_OK) ? "." : "/dev/shm");
    DEMAND(mkdtemp(directory));
    snprintf(code, sizeof(code), "%s/c", directory);
    FILE *file = fopen(code, "wb");
    DEMAND(file && fwrite(bytes, 1, sizeof(bytes), file) == sizeof(bytes) && fclose(file) == 0);
    atexit(remove_directory);
}

static void open_and_decode(const struct foreign_file *file, uint64_t pid)
{
    const struct flow_run_options options = {.threads = 1, .needs = FLOW_NEED_HASH};
    const struct flow_input settings = {.cpu_known = false};
    struct perf_choice choice = {.pid = pid, .buffer = PERF_ANY, .root = directory};
    struct foreign foreign = {.image = {.files = NULL}};
    struct error error = {0};
    struct flow_run run;
    if (perf_open_file(&foreign, file, "input", &choice, &settings, &error)) {
        for (size_t i = 0; i < foreign.trace.gaps.count; i++)
            DEMAND(foreign.trace.gaps.items[i].at <= foreign.packets.size &&
                   (i == 0 || foreign.trace.gaps.items[i].at >= foreign.trace.gaps.items[i - 1].at));
        flow_run_trace(&run, &foreign.trace, &options, &error);
        flow_run_free(&run);
    } else {
        DEMAND(error.kind != ERROR_NONE);
    }
    foreign_close(&foreign);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    DEMAND(copy);
    memcpy(copy, data, size);
    const struct foreign_file file = {copy, size};
    if (!directory[0])
        make_directory();
    open_and_decode(&file, PERF_ANY);
    open_and_decode(&file, 1);
    free(copy);
    return 0;
}
