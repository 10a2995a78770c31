/* The host tool with one more option, for tests: --engine=libipt, before the command, decodes with the judge. */
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/output.h"
#include "tests/judge/judge.h"

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--engine=libipt")) {
        flow_use(&flow_engine_libipt);
        argv[1] = argv[0];
        argc--;
        argv++;
    }
    int status = commands_run(argc, argv);
    return output_end() ? status : 1;
}
