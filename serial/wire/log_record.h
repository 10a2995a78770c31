/* Log lines as RECORD_LOG records of a sink. */
#ifndef SERIAL_WIRE_LOG_RECORD_H
#define SERIAL_WIRE_LOG_RECORD_H

#include "serial/wire/sink.h"

/* Record log lines in the sink from now on. */
void log_record_to(struct sink *sink);

#endif
