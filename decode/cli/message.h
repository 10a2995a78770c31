/* Messages of the host tool: one line on stderr, "undertrace: <text>". */
#ifndef DECODE_MESSAGE_H
#define DECODE_MESSAGE_H

void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print no lines until message_release, which prints all of them: the terminal has other contents. */
void message_hold(void);
void message_release(void);

/* The last line that is held; "" if there is none. Valid until the next message. */
const char *message_held(void);

/* The same as message_print, followed by the text of errno. */
void message_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
