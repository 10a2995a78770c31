/* unwind.py, which bundle.sh makes a C file of when the host tool is built. Ends with a line feed. */
#ifndef DECODE_CLI_GDB_UNWIND_SCRIPT_H
#define DECODE_CLI_GDB_UNWIND_SCRIPT_H

extern const char unwind_script[];

#endif
