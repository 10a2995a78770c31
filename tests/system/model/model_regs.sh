#!/bin/bash
# The model's registers, CPUID, output, PMI, XSAVE and VMX controls, checked from inside by ROMs of their own.
exec tests/model/regs/run.sh build
