/* What the host tool tells people: one line on stderr, "undertrace: <text>". */
#ifndef DECODE_MESSAGE_H
#define DECODE_MESSAGE_H

void message_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As message_say, with what errno means behind it. */
void message_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
