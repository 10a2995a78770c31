/* undertrace kernel-options: hypervisor options that depend on the kernel to be traced. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/names/kernel/kernel_tasks.h"

static const char usage[] =
    "usage: undertrace kernel-options KERNEL\n"
    "\n"
    "Prints the hypervisor options that depend on the Linux kernel to be traced (a bzImage or vmlinux), for\n"
    "the hypervisor's line in GRUB's configuration: tasks= says where the kernel keeps its current task, so\n"
    "that captures identify processes by number and name. `make run` adds it by itself.\n"
    "\n"
    "Exit status: 0 done; 1 an error, or the kernel does not contain this information.\n";

int command_kernel_options(int argc, char **argv)
{
    const char *name;
    const struct syntax syntax = {"kernel-options", usage, NULL, 0, 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &name);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct kernel_image kernel;
    struct kernel_tasks tasks;
    struct error error = {0};
    if (!kernel_image_open(&kernel, name, &error)) {
        error_print(&error);
        return 1;
    }
    const char *lacks = kernel_tasks_find(&tasks, &kernel);
    kernel_image_close(&kernel);
    if (lacks) {
        message_print(
            "%s: where this kernel keeps its tasks is unknown: %s; without the option tasks= captures identify "
            "processes by CR3 and program only",
            name, lacks);
        return 1;
    }
    printf("tasks=0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64, tasks.current, tasks.pid, tasks.comm,
           tasks.vfork);
    if (tasks.entry)
        printf(",0x%" PRIx64, tasks.entry);
    puts("");
    return 0;
}
