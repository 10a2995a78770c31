/*
 * A row's packets as text: the lines of `undertrace dump` without offsets, and with symbols for IPs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "decode/report/dump_line.h"

static FILE *all_traces, *all_packets;
static uint64_t all_size;

void packets_collect(const char *directory)
{
    all_traces = file_create(directory, "all", ".pt");
    all_packets = file_create(directory, "all", ".dump");
}

static void collect(const uint8_t *bytes, size_t size, const struct packet *packet)
{
    char line[DUMP_LINE_MAX];
    dump_line(line, all_size, packet);
    fputs(line, all_packets);
    fwrite(bytes, size, 1, all_traces);
    all_size += size;
}

static bool is_ip(enum packet_kind kind)
{
    return kind == PT_PACKET_TIP || kind == PT_PACKET_TIP_PGE || kind == PT_PACKET_TIP_PGD || kind == PT_PACKET_FUP;
}

/* dump_line without the offset, the second spelling of PIP's and VMCS's payload, and more than one blank. */
static void plain_text(char *out, const struct packet *packet)
{
    char line[DUMP_LINE_MAX];
    dump_line(line, 0, packet);
    char *second = strstr(line, packet->kind == PT_PACKET_PIP ? " cr3" : " vmcs");
    if (second != NULL && packet->kind == PT_PACKET_PIP)
        *second = 0;
    if (packet->kind == PT_PACKET_VMCS && (second = strstr(line + 24, " vmcs")) != NULL)
        *second = 0;
    size_t used = 0;
    for (char *word = strtok(line + 16, " \n"); word != NULL; word = strtok(NULL, " \n"))
        used += (size_t)snprintf(out + used, MAX_LINE - used, "%s%s", used ? " " : "", word);
}

static void ip_text(char *out, const struct packet *packet, uint64_t *last_ip, const struct result *row)
{
    char symbol[80];
    plain_text(out, packet);
    char *end = strchr(out, ' ');
    if (!pt_ip_expand(last_ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, *last_ip)) {
        *end = 0;
        return;
    }
    symbol_text(symbol, sizeof(symbol), *last_ip, row);
    snprintf(end, MAX_LINE - (size_t)(end - out), " %s", symbol);
}

bool packets_text(struct lines *lines, struct result *row)
{
    row->packet_sizes.bytes = malloc(row->trace.size + 1);
    if (row->packet_sizes.bytes == NULL)
        die("memory", "none left");
    uint64_t last_ip = 0;
    bool prologue = true;
    char line[MAX_LINE];
    for (size_t at = 0; at < row->trace.size;) {
        struct packet packet;
        int size = packet_parse(&packet, row->trace.bytes + at, row->trace.size - at);
        if (size <= 0) {
            snprintf(line, sizeof(line), "%s at byte %zu", size == PT_PARSE_TRUNCATED ? "truncated" : "unknown", at);
            lines_add(lines, line);
            return false;
        }
        collect(row->trace.bytes + at, (size_t)size, &packet);
        at += (size_t)size;
        row->packet_sizes.bytes[row->packet_sizes.size++] = (uint8_t)size;
        if (packet.kind == PT_PACKET_PSB)
            last_ip = 0;
        if (is_ip(packet.kind))
            ip_text(line, &packet, &last_ip, row);
        else
            plain_text(line, &packet);
        if (!prologue)
            lines_add(lines, line);
        if (packet.kind == PT_PACKET_PSBEND)
            prologue = false;
    }
    return true;
}
