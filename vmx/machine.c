/* Kind: shell */
#include "vmx/machine.h"

struct machine machine;
