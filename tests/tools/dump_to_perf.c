/*
 * Say lines of `undertrace dump` (standard input) in the words of `perf script -D`: "offset: packet". PADs and VMCS
 * packets, which perf does not get to see (perfdata_wrap.c), are left out.
 *
 * usage: dump_to_perf BASE      trace offset that is offset 0 of the perf.data file
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "3: ffff87f00000c01a": perf shows the bytes that are in the packet. */
static void print_ip(const char *name, const char *payload)
{
    const char *digits = payload + 3 + strspn(payload + 3, "?");
    uint64_t ip = strtoull(digits, NULL, 16);
    if (payload[0] == '0')
        printf("%s no ip\n", name);
    else
        printf("%s 0x%" PRIx64 "\n", name, payload[0] == '3' ? ip & 0xffffffffffff : ip);
}

static void print_tnt(const char *payload)
{
    size_t bits = strcspn(payload, "\n");
    fputs("TNT ", stdout);
    for (size_t i = 0; i < bits; i++)
        putchar(payload[i] == '!' ? 'T' : 'N');
    printf(" (%zu)\n", bits);
}

static bool print_flags(const char *opcode, const char *payload)
{
    if (!strcmp(opcode, "mode.exec"))
        printf("MODE.Exec IF:0 %s\n", strstr(payload, "cs.l") ? "64" : strstr(payload, "cs.d") ? "32" : "16");
    else if (!strcmp(opcode, "mode.tsx"))
        printf("MODE.TSX TXAbort:%d InTX:%d\n", strstr(payload, "abrt") != NULL, strstr(payload, "intx") != NULL);
    else
        return false;
    return true;
}

static bool print_timing(const char *opcode, const char *payload)
{
    static const char *const packets[][2] = {{"tsc", "TSC"}, {"cbr", "CBR"}, {"mtc", "MTC"}, {"cyc", "CYC"}};
    unsigned ctc, fc;
    for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
        if (!strcmp(opcode, packets[i][0])) {
            printf("%s 0x%llx\n", packets[i][1], strtoull(payload, NULL, 16));
            return true;
        }
    }
    if (strcmp(opcode, "tma") != 0 || sscanf(payload, "%x, %x", &ctc, &fc) != 2)
        return false;
    printf("TMA CTC 0x%x FC 0x%x\n", ctc, fc);
    return true;
}

/* false: a packet that this translation does not know. */
static bool print_packet(const char *opcode, const char *payload)
{
    static const char *const ip_packets[][2] = {
        {"tip", "TIP"}, {"tip.pge", "TIP.PGE"}, {"tip.pgd", "TIP.PGD"}, {"fup", "FUP"}};
    static const char *const plain_packets[][2] = {
        {"psb", "PSB"}, {"psbend", "PSBEND"}, {"ovf", "OVF"}, {"stop", "TraceSTOP"}};
    for (size_t i = 0; i < sizeof(ip_packets) / sizeof(ip_packets[0]); i++) {
        if (!strcmp(opcode, ip_packets[i][0])) {
            print_ip(ip_packets[i][1], payload);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(plain_packets) / sizeof(plain_packets[0]); i++) {
        if (!strcmp(opcode, plain_packets[i][0])) {
            puts(plain_packets[i][1]);
            return true;
        }
    }
    if (print_timing(opcode, payload))
        return true;
    uint64_t value = strtoull(payload, NULL, 16);
    if (!strncmp(opcode, "tnt.", 4))
        print_tnt(payload);
    else if (!strcmp(opcode, "ptw"))
        printf("PTWRITE 0x%llx IP:%d\n", strtoull(payload + 3, NULL, 16), strstr(payload, ", ip") != NULL);
    else if (!strcmp(opcode, "pip"))
        printf("PIP 0x%" PRIx64 " (NR=0)\n", value >> 5);
    else
        return print_flags(opcode, payload);
    return true;
}

int main(int argc, char **argv)
{
    char line[256];
    uint64_t base = argc == 2 ? strtoull(argv[1], NULL, 0) : 0;
    while (fgets(line, sizeof(line), stdin)) {
        char opcode[16] = "", *payload = line + strcspn(line, "\n");
        uint64_t offset = strtoull(line, NULL, 16);
        int at = 0;
        if (sscanf(line, "%*s %15s %n", opcode, &at) == 1 && at > 0)
            payload = line + at;
        if (!strcmp(opcode, "pad") || !strcmp(opcode, "vmcs"))
            continue;
        printf("%08" PRIx64 ": ", offset - base);
        if (!print_packet(opcode, payload)) {
            fprintf(stderr, "dump_to_perf: no words for %s", line);
            return 1;
        }
    }
    return 0;
}
