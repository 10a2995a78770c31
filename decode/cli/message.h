/* Messages of the host tool: one line on stderr, "undertrace: <text>". */
#ifndef DECODE_MESSAGE_H
#define DECODE_MESSAGE_H

void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, followed by the text of errno. */
void message_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
