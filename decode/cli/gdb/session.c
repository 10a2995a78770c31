#include "decode/cli/gdb/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTER_RIP 16u /* of gdb's amd64 registers: RAX to R15, then RIP */
#define TARGET                                                                                                         \
    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"                                               \
    "<target><architecture>i386:x86-64</architecture></target>"

typedef char reply_text[RSP_PACKET_SIZE + 1];

static struct replay_cpu *current(struct session *session)
{
    return &session->cpus[session->current];
}

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
    rip_text(reply + (size_t)REGISTER_RIP * 16, current(session));
}

static void one_register(struct session *session, const char *packet, reply_text reply)
{
    strcpy(reply, "xxxxxxxx");
    if (strtoul(packet + 1, NULL, 16) == REGISTER_RIP)
        rip_text(reply, current(session));
}

static void memory(struct session *session, const char *packet, reply_text reply)
{
    uint8_t bytes[RSP_PACKET_SIZE / 2];
    char *end;
    const uint64_t address = strtoull(packet + 1, &end, 16);
    size_t size = *end == ',' ? strtoul(end + 1, NULL, 16) : 0;
    size = size < sizeof(bytes) ? size : sizeof(bytes);
    size = replay_read(current(session), address, bytes, size);
    if (size == 0)
        strcpy(reply, "E14"); /* EFAULT: no code was captured there */
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
    snprintf(reply, RSP_PACKET_SIZE, "T%sthread:%x;", reasons[stop], thread_of(current(session)));
}

static void move(struct session *session, bool step, bool backward, reply_text reply)
{
    const struct replay_breaks breaks = {session->breaks, session->nr_breaks, rsp_interrupted, &session->rsp};
    stopped(session, step ? replay_step(current(session), backward) : replay_find(current(session), &breaks, backward),
            reply);
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

static void threads(const struct session *session, reply_text reply)
{
    size_t size = (size_t)snprintf(reply, RSP_PACKET_SIZE, "m");
    for (size_t i = 0; i < session->nr_cpus && size < RSP_PACKET_SIZE - 8; i++)
        size +=
            (size_t)snprintf(reply + size, RSP_PACKET_SIZE - size, "%s%x", i ? "," : "", thread_of(&session->cpus[i]));
}

/* "CPU 1 at 12.345678901 s", in hexadecimal digits. */
static void describe(const struct session *session, const struct replay_cpu *cpu, reply_text reply)
{
    char text[128];
    const double seconds = indexed_capture_seconds(session->indexed, replay_now(cpu)->tsc);
    const int size = seconds >= 0 ? snprintf(text, sizeof(text), "CPU %u at %.9f s", cpu->cpu, seconds)
                                  : snprintf(text, sizeof(text), "CPU %u", cpu->cpu);
    hex_text(reply, (const uint8_t *)text, (size_t)size);
}

static void thread_info(const struct session *session, const char *text, reply_text reply)
{
    for (size_t i = 0; i < session->nr_cpus; i++)
        if (thread_of(&session->cpus[i]) == strtoul(text, NULL, 16))
            describe(session, &session->cpus[i], reply);
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
        snprintf(reply, RSP_PACKET_SIZE, "QC%x", thread_of(current(session)));
    else if (begins(packet, "qAttached"))
        strcpy(reply, "1");
    else if (!strcmp(packet, "qRcmd,74696d65")) { /* monitor time */
        describe(session, current(session), reply);
        strcat(reply, "0a");
    }
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
