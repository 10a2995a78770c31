/* Kind: shell */
#include "vmx/cpu/machine.h"

struct machine machine;
