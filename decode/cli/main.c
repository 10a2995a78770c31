/* undertrace: the host tool. decode/undertrace.1 is its manual. */
#include "decode/cli/commands.h"
#include "decode/cli/output.h"
#include "decode/cli/text/pager.h"

/* A failed write to standard output is an error of any command. */
int main(int argc, char **argv)
{
    output_begin();
    const int status = commands_run(argc, argv);
    const bool written = output_end();
    pager_end();
    return written ? status : 1;
}
