#include "decode/cli/gdb/session.h"

#include "decode/cli/gdb/monitor.h"
#include "decode/cli/gdb/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTER_RIP 16u /* of gdb's amd64 registers: RAX to R15, then RIP */
#define TARGET                                                                                                         \
    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"                                               \
    "<target><architecture>i386:x86-64</architecture></target>"

typedef char reply_text[RSP_PACKET_SIZE + 1];

/* Threads are numbered by CPU, from 1 on. */
static unsigned thread_of(const struct replay_cpu *cpu)
{
    return cpu->cpu + 1u;
}

static void hex_text(char *text, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void rip_text(char text[17], const struct replay_cpu *cpu)
{
    const uint64_t ip = replay_now(cpu)->ip;
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(ip >> 8 * i);
    hex_text(text, bytes, 8);
}

/* The trace has no registers but RIP: 'x' means that a value is not available. */
static void registers(struct session *session, reply_text reply)
{
    memset(reply, 'x', (size_t)REGISTER_RIP * 16);
    rip_text(reply + (size_t)REGISTER_RIP * 16, session_cpu(session));
}

static void one_register(struct session *session, const char *packet, reply_text reply)
{
    strcpy(reply, "xxxxxxxx");
    if (strtoul(packet + 1, NULL, 16) == REGISTER_RIP)
        rip_text(reply, session_cpu(session));
}

static void memory(struct session *session, const char *packet, reply_text reply)
{
    uint8_t bytes[RSP_PACKET_SIZE / 2];
    char *end;
    const uint64_t address = strtoull(packet + 1, &end, 16);
    size_t size = *end == ',' ? strtoul(end + 1, NULL, 16) : 0;
    size = size < sizeof(bytes) ? size : sizeof(bytes);
    if (address >= UNWIND_NOW && address < UNWIND_END)
        size = unwind_read(&session->unwind, session_cpu(session), address, bytes, size);
    else
        size = replay_read(session_cpu(session), address, bytes, size);
    if (size == 0)
        strcpy(reply, "E14"); /* EFAULT: no code was captured there, and no frame is there */
    hex_text(reply, bytes, size);
}

/* Zn,ADDRESS,KIND and zn,ADDRESS,KIND, of the kinds 0 and 1. */
static void breakpoint(struct session *session, const char *packet, reply_text reply)
{
    if ((packet[1] != '0' && packet[1] != '1') || packet[2] != ',')
        return;
    const uint64_t address = strtoull(packet + 3, NULL, 16);
    size_t at = 0;
    while (at < session->nr_breaks && session->breaks[at] != address)
        at++;
    strcpy(reply, "OK");
    if (packet[0] == 'z' && at < session->nr_breaks)
        session->breaks[at] = session->breaks[--session->nr_breaks];
    else if (packet[0] == 'Z' && at == SESSION_MOST_BREAKS)
        strcpy(reply, "E1c"); /* ENOSPC */
    else if (packet[0] == 'Z' && at == session->nr_breaks)
        session->breaks[session->nr_breaks++] = address;
}

static void stopped(struct session *session, enum replay_stop stop, reply_text reply)
{
    static const char *const reasons[] = {[REPLAY_MOVED] = "05",
                                          [REPLAY_HIT] = "05swbreak:;",
                                          [REPLAY_BEGIN] = "05replaylog:begin;",
                                          [REPLAY_END] = "05replaylog:end;",
                                          [REPLAY_INTERRUPTED] = "02"};
    snprintf(reply, RSP_PACKET_SIZE, "T%sthread:%x;", reasons[stop], thread_of(session_cpu(session)));
}

static void move(struct session *session, bool step, bool backward, reply_text reply)
{
    stopped(session, step ? session_step(session, backward) : session_run(session, backward), reply);
}

static void select_thread(struct session *session, const char *text, reply_text reply)
{
    const unsigned long thread = strtoul(text, NULL, 16);
    strcpy(reply, "OK");
    if (thread == 0 || *text == '-')
        return;
    for (size_t i = 0; i < session->nr_cpus; i++)
        if (thread_of(&session->cpus[i]) == thread) {
            session->current = i;
            return;
        }
    strcpy(reply, "E03"); /* ESRCH */
}

/* vCont;ACTION[:THREAD][;...]: only one CPU moves, that of the first action. r is a step in a range of addresses. */
static void resume(struct session *session, const char *actions, reply_text reply)
{
    char *at = NULL;
    uint64_t begin = 0, end = 0;
    if (!strchr("cCsSr", actions[0]) || !actions[0])
        return;
    if (actions[0] == 'r') {
        begin = strtoull(actions + 1, &at, 16);
        end = *at == ',' ? strtoull(at + 1, &at, 16) : 0;
    }
    const char *thread = at ? at : actions + strcspn(actions, ":;");
    if (*thread == ':') {
        select_thread(session, thread + 1, reply);
        if (reply[0] != 'O')
            return;
    }
    if (actions[0] == 'r')
        stopped(session, session_step_range(session, begin, end), reply);
    else
        move(session, actions[0] == 's' || actions[0] == 'S', false, reply);
}

static void threads(const struct session *session, reply_text reply)
{
    size_t size = (size_t)snprintf(reply, RSP_PACKET_SIZE, "m");
    for (size_t i = 0; i < session->nr_cpus && size < RSP_PACKET_SIZE - 8; i++)
        size +=
            (size_t)snprintf(reply + size, RSP_PACKET_SIZE - size, "%s%x", i ? "," : "", thread_of(&session->cpus[i]));
}

char *session_time(char text[SESSION_TIME_SIZE], const struct session *session, const struct replay_cpu *cpu)
{
    const double seconds = indexed_capture_seconds(session->indexed, replay_now(cpu)->tsc);
    if (seconds >= 0)
        snprintf(text, SESSION_TIME_SIZE, "CPU %u at %.9f s", cpu->cpu, seconds);
    else
        snprintf(text, SESSION_TIME_SIZE, "CPU %u", cpu->cpu);
    return text;
}

static void thread_info(const struct session *session, const char *text, reply_text reply)
{
    char time[SESSION_TIME_SIZE];
    for (size_t i = 0; i < session->nr_cpus; i++)
        if (thread_of(&session->cpus[i]) == strtoul(text, NULL, 16)) {
            session_time(time, session, &session->cpus[i]);
            hex_text(reply, (const uint8_t *)time, strlen(time));
        }
}

static bool begins(const char *packet, const char *with)
{
    return !strncmp(packet, with, strlen(with));
}

static void query(struct session *session, const char *packet, reply_text reply)
{
    if (begins(packet, "qSupported"))
        strcpy(reply, "PacketSize=1000;QStartNoAckMode+;qXfer:features:read+;ReverseStep+;ReverseContinue+;swbreak+");
    else if (begins(packet, "qXfer:features:read:target.xml:0,"))
        strcpy(reply, "l" TARGET);
    else if (!strcmp(packet, "qfThreadInfo"))
        threads(session, reply);
    else if (!strcmp(packet, "qsThreadInfo"))
        strcpy(reply, "l");
    else if (begins(packet, "qThreadExtraInfo,"))
        thread_info(session, packet + strlen("qThreadExtraInfo,"), reply);
    else if (!strcmp(packet, "qC"))
        snprintf(reply, RSP_PACKET_SIZE, "QC%x", thread_of(session_cpu(session)));
    else if (begins(packet, "qAttached"))
        strcpy(reply, "1");
    else if (begins(packet, "qRcmd,"))
        session_monitor(session, packet + strlen("qRcmd,"), reply);
}

/* Answer a packet. An empty answer: it is not known. false: the session ends. */
static bool answer(struct session *session, const char *packet, reply_text reply)
{
    switch (packet[0]) {
    case '?':
        stopped(session, REPLAY_MOVED, reply);
        break;
    case 'g':
        registers(session, reply);
        break;
    case 'p':
        one_register(session, packet, reply);
        break;
    case 'm':
        memory(session, packet, reply);
        break;
    case 'Z':
    case 'z':
        breakpoint(session, packet, reply);
        break;
    case 's':
    case 'c':
        move(session, packet[0] == 's', false, reply);
        break;
    case 'b':
        if (packet[1] == 's' || packet[1] == 'c')
            move(session, packet[1] == 's', true, reply);
        break;
    case 'H':
        select_thread(session, packet + 2, reply);
        break;
    case 'v':
        if (!strcmp(packet, "vCont?"))
            strcpy(reply, "vCont;c;C;s;S;r");
        else if (begins(packet, "vCont;"))
            resume(session, packet + strlen("vCont;"), reply);
        break;
    case 'T':
        strcpy(reply, "OK"); /* all threads live */
        break;
    case 'q':
        query(session, packet, reply);
        break;
    case 'D':
        strcpy(reply, "OK");
        return false;
    case 'k':
        return false;
    }
    return true;
}

void session_serve(struct session *session)
{
    char packet[RSP_PACKET_SIZE + 1];
    bool more = true;
    while (more && rsp_receive(&session->rsp, packet)) {
        static reply_text reply;
        memset(reply, 0, sizeof(reply));
        if (!strcmp(packet, "QStartNoAckMode"))
            strcpy(reply, "OK");
        else
            more = answer(session, packet, reply);
        if (packet[0] != 'k' && !rsp_send(&session->rsp, reply))
            return;
        session->rsp.no_ack |= packet[0] == 'Q';
    }
}
