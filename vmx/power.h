/* Going down. Shell, private to vmx/. */
#ifndef VMX_POWER_H
#define VMX_POWER_H

/* Stop this CPU for good. */
_Noreturn void power_park(void);

#endif
