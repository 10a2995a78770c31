/* undertrace: the host tool. decode/undertrace.1 is its manual. */
#include "decode/cli/commands.h"
#include "decode/cli/output.h"

/* What was said to standard output and did not arrive there is an error of any command. */
int main(int argc, char **argv)
{
    int status = commands_run(argc, argv);
    return output_end() ? status : 1;
}
