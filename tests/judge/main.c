/* The host tool for tests: --engine=libipt, before the command, decodes with libipt; and the commands ptxed and ptdump
 * print what libipt's tools print. */
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/output.h"
#include "tests/judge/judge.h"
#include "tests/judge/text/text.h"

static int run(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "ptxed"))
        return text_ptxed(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "ptdump"))
        return text_ptdump(argc - 1, argv + 1);
    return commands_run(argc, argv);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--engine=libipt")) {
        flow_use(&flow_engine_libipt);
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    int status = run(argc, argv);
    return output_end() ? status : 1;
}
