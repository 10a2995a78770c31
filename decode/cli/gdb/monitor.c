#include "decode/cli/gdb/monitor.h"

#include <stdio.h>
#include <string.h>

static void say(char *reply, const char *text)
{
    for (; *text; text++, reply += 2)
        snprintf(reply, 3, "%02x", (uint8_t)*text);
}

static void say_time(struct session *session, char *reply)
{
    char text[SESSION_TIME_SIZE + 1];
    strcat(session_time(text, session, session_cpu(session)), "\n");
    say(reply, text);
}

static void pass_interrupts(struct session *session, char *reply)
{
    session->over = true;
    strcpy(reply, "OK");
}

static void enter_interrupts(struct session *session, char *reply)
{
    session->over = false;
    strcpy(reply, "OK");
}

void session_monitor(struct session *session, const char *hex, char *reply)
{
    static const struct {
        const char *command;
        void (*answer)(struct session *session, char *reply);
    } commands[] = {{"time", say_time}, {"interrupts pass", pass_interrupts}, {"interrupts enter", enter_interrupts}};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        char in_hex[64];
        say(in_hex, commands[i].command);
        if (!strcmp(hex, in_hex)) {
            commands[i].answer(session, reply);
            return;
        }
    }
    say(reply, "The commands are: time, interrupts pass, interrupts enter\n");
}
