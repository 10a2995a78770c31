/* The commands of gdb's `monitor`. */
#ifndef DECODE_CLI_GDB_MONITOR_H
#define DECODE_CLI_GDB_MONITOR_H

#include "decode/cli/gdb/session.h"

/* Answer qRcmd: hex is the command, in hexadecimal digits. The reply is what gdb prints, in hexadecimal digits, or
 * "OK" for nothing; at most RSP_PACKET_SIZE characters. */
void session_monitor(struct session *session, const char *hex, char *reply);

#endif
