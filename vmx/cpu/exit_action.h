/* What every VM-exit handler returns. The table of handlers is in vmx/exit/dispatch.c; each handler has a header of its
 * own. */
#ifndef VMX_CPU_EXIT_ACTION_H
#define VMX_CPU_EXIT_ACTION_H

struct cpu;

enum exit_action {
    EXIT_ADVANCE,      /* the instruction has been emulated: move RIP past it */
    EXIT_RETRY,        /* execute the instruction again, or redeliver the event that the exit interrupted */
    EXIT_INJECTED,     /* the handler has set the event to inject and, where needed, RIP */
    EXIT_WAIT_FOR_SIPI /* enter the wait-for-SIPI activity state */
};

typedef enum exit_action exit_handler(struct cpu *cpu);

#endif
