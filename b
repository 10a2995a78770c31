directories 3
interrupt_stack_top 3
pointers 3
root 3
stack_top 3
