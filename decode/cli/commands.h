/* The commands of the host tool. Each gets its own words (argv[0] is the command's name), and returns the exit
 * status. */
#ifndef DECODE_COMMANDS_H
#define DECODE_COMMANDS_H

/* Run the command that argv[1] names. Returns its exit status. */
int commands_run(int argc, char **argv);

int command_receive(int argc, char **argv);
int command_control(int argc, char **argv);
int command_info(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_names(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_export(int argc, char **argv);
int command_page(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_report(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_latency(int argc, char **argv);
int command_stack(int argc, char **argv);
int command_callgraph(int argc, char **argv);
int command_irqs(int argc, char **argv);
int command_syscalls(int argc, char **argv);
int command_sched(int argc, char **argv);
int command_last(int argc, char **argv);
int command_gdb(int argc, char **argv);
int command_find(int argc, char **argv);
int command_code(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_hardware(int argc, char **argv);
int command_kernel_options(int argc, char **argv);
int command_doctor(int argc, char **argv);

#endif
