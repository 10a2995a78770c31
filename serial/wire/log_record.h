/* Log lines as RECORD_LOG records of a sink. */
#ifndef SERIAL_WIRE_LOG_RECORD_H
#define SERIAL_WIRE_LOG_RECORD_H

#include "serial/wire/sink.h"

/* Record log lines in the sink from now on. */
void log_record_to(struct sink *sink);

/* The time in a log record: CPU 0's TSC, on whatever CPU. */
uint64_t log_record_tsc(void);

#endif
