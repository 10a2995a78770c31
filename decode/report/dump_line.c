#include "decode/report/dump_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAYLOAD_MAX 64u

/* In the manual and perf, HW of PWRE is bit 7; libipt uses bit 3, which is reserved. */
#define PWRE_HW 0x88u

static void ip_payload(char *out, const struct packet *p)
{
    unsigned form = p->ip_bytes;
    switch (form) {
    case PT_IP_SUPPRESSED:
        snprintf(out, PAYLOAD_MAX, "0: ????????????????");
        return;
    case PT_IP_UPDATE_16:
        snprintf(out, PAYLOAD_MAX, "%x: ????????????%04" PRIx64, form, p->ip);
        return;
    case PT_IP_UPDATE_32:
        snprintf(out, PAYLOAD_MAX, "%x: ????????%08" PRIx64, form, p->ip);
        return;
    case PT_IP_UPDATE_48:
        snprintf(out, PAYLOAD_MAX, "%x: ????%012" PRIx64, form, p->ip);
        return;
    default: {
        uint64_t ip = p->ip;
        pt_ip_expand(&ip, (enum pt_ip_bytes)form, p->ip, 0);
        snprintf(out, PAYLOAD_MAX, "%x: %016" PRIx64, form, ip);
    }
    }
}

static void tnt_payload(char *out, const struct packet *p)
{
    unsigned bits = p->tnt_bits;
    for (unsigned i = 0; i < bits; i++)
        out[i] = p->tnt >> (bits - 1 - i) & 1 ? '!' : '.';
    out[bits] = '\0';
}

/* Write two flags, with a comma if both are set. */
static void flags_payload(char *out, const char *first, const char *second)
{
    snprintf(out, PAYLOAD_MAX, "%s%s%s", first, first[0] && second[0] ? ", " : "", second);
}

static void pwrx_payload(char *out, uint64_t payload)
{
    static const char *const reasons[16] = {[1] = "int", [4] = " st", [8] = " hw"};
    const char *reason = reasons[payload >> 8 & 0xf];
    snprintf(out, PAYLOAD_MAX, "%s: c%u, c%u", reason ? reason : "bad", (unsigned)((payload >> 4) + 1) & 0xf,
             (unsigned)(payload + 1) & 0xf);
}

static void power_payload(char *out, const struct packet *p)
{
    uint64_t payload = p->payload;
    if (p->kind == PT_PACKET_MWAIT)
        snprintf(out, PAYLOAD_MAX, "%08x, %08x", (unsigned)(payload & 0xff), (unsigned)(payload >> 32 & 3));
    else if (p->kind == PT_PACKET_PWRE)
        snprintf(out, PAYLOAD_MAX, "c%u.%u%s", (unsigned)((payload >> 12) + 1) & 0xf,
                 (unsigned)((payload >> 8) + 1) & 0xf, payload & PWRE_HW ? ", hw" : "");
    else
        pwrx_payload(out, payload);
}

/* Events that have a vector. */
static void cfe_payload(char *out, const struct packet *p)
{
    const unsigned with_vector =
        1u << 1 | 1u << 5 | 1u << 9 | 1u << 12 | 1u << 14; /* INTR SIPI VMEXIT_INTR UINTR SWINTR */
    const char *ip = p->fup_follows ? ", ip" : "";
    if (with_vector >> p->event_type & 1)
        snprintf(out, PAYLOAD_MAX, p->event_type == 5 ? "%u: %" PRIx64 "%s" : "%u: %" PRIu64 "%s", p->event_type,
                 p->payload, ip);
    else
        snprintf(out, PAYLOAD_MAX, "%u%s", p->event_type, ip);
}

static void trig_payload(char *out, const struct packet *p)
{
    int length = snprintf(out, PAYLOAD_MAX, "%02" PRIx64 "%s%s", p->payload, p->fup_follows ? ", ip" : "",
                          p->more ? ", mult" : "");
    if (p->has_icnt)
        snprintf(out + length, PAYLOAD_MAX - (size_t)length, ", icnt: %u", p->icnt);
}

/* The names of the types of CFE and EVD. */
static const char *event_text(const struct packet *p)
{
    static const char *const events[] = {NULL,    "intr",    "iret",   "smi",         "rsm",      "sipi",
                                         "init",  "vmentry", "vmexit", "vmexit_intr", "shutdown", NULL,
                                         "uintr", "uiret",   "swintr", "syscall"};
    static const char *const data[] = {"cr2", "vmxq", "vmxr"};
    const char *text = NULL;
    if (p->kind == PT_PACKET_CFE && p->event_type < sizeof(events) / sizeof(events[0]))
        text = events[p->event_type];
    if (p->kind == PT_PACKET_EVD && p->event_type < sizeof(data) / sizeof(data[0]))
        text = data[p->event_type];
    return text ? text : "unknown";
}

/* As perf's decoder names them: SZ, type and ID. */
static void block_payload(char *out, const struct packet *p)
{
    if (p->kind == PT_PACKET_BBP)
        snprintf(out, PAYLOAD_MAX, "sz %u, type %x", p->ptw_bytes, p->event_type);
    else if (p->kind == PT_PACKET_BIP)
        snprintf(out, PAYLOAD_MAX, "id %02x: %" PRIx64, p->event_type, p->payload);
    else
        snprintf(out, PAYLOAD_MAX, "%s", p->fup_follows ? "ip" : "");
}

static void write_payload(char *out, const struct packet *p)
{
    out[0] = '\0';
    switch (p->kind) {
    case PT_PACKET_TNT_8:
    case PT_PACKET_TNT_64:
        tnt_payload(out, p);
        break;
    case PT_PACKET_TIP:
    case PT_PACKET_TIP_PGE:
    case PT_PACKET_TIP_PGD:
    case PT_PACKET_FUP:
        ip_payload(out, p);
        break;
    case PT_PACKET_PIP:
        snprintf(out, PAYLOAD_MAX, "%" PRIx64 "%s", p->cr3, p->non_root ? ", nr" : "");
        break;
    case PT_PACKET_MODE_EXEC:
        flags_payload(out, p->cs_d ? "cs.d" : "", p->cs_l ? "cs.l" : "");
        if (p->iflag)
            strcat(out, out[0] ? ", if" : "if");
        break;
    case PT_PACKET_MODE_TSX:
        flags_payload(out, p->in_tx ? "intx" : "", p->tx_abort ? "abrt" : "");
        break;
    case PT_PACKET_TMA:
        snprintf(out, PAYLOAD_MAX, "%x, %x", p->tma_ctc, p->tma_fc);
        break;
    case PT_PACKET_PTW:
        snprintf(out, PAYLOAD_MAX, "%x: %" PRIx64 "%s", p->ptw_bytes == 8, p->payload, p->fup_follows ? ", ip" : "");
        break;
    case PT_PACKET_EXSTOP:
        snprintf(out, PAYLOAD_MAX, "%s", p->fup_follows ? "ip" : "");
        break;
    case PT_PACKET_MWAIT:
    case PT_PACKET_PWRE:
    case PT_PACKET_PWRX:
        power_payload(out, p);
        break;
    case PT_PACKET_CFE:
        cfe_payload(out, p);
        break;
    case PT_PACKET_EVD:
        snprintf(out, PAYLOAD_MAX, "%u: %" PRIx64, p->event_type, p->payload);
        break;
    case PT_PACKET_TRIG:
        trig_payload(out, p);
        break;
    case PT_PACKET_BBP:
    case PT_PACKET_BIP:
    case PT_PACKET_BEP:
        block_payload(out, p);
        break;
    default:
        if (packet_dump(p->kind) == PACKET_DUMP_HEX)
            snprintf(out, PAYLOAD_MAX, "%" PRIx64, p->payload);
        break;
    }
}

/* Name and value in the column after the payload. false: nothing. */
static bool write_last_column(const char **name, char *out, const struct packet *p)
{
    switch (p->kind) {
    case PT_PACKET_PIP:
    case PT_PACKET_VMCS:
        *name = p->kind == PT_PACKET_PIP ? "cr3" : "vmcs";
        snprintf(out, PAYLOAD_MAX, "%016" PRIx64, p->payload);
        return true;
    case PT_PACKET_CFE:
    case PT_PACKET_EVD:
        *name = "type";
        strcpy(out, event_text(p));
        return true;
    default:
        return false;
    }
}

size_t dump_line(char *line, uint64_t offset, const struct packet *packet)
{
    char payload[PAYLOAD_MAX], last[PAYLOAD_MAX];
    const char *kind = packet_dump_name(packet->kind), *name;
    write_payload(payload, packet);
    int length = snprintf(line, DUMP_LINE_MAX, "%016" PRIx64 "  ", offset);
    char *out = line + length;
    const size_t room = DUMP_LINE_MAX - (size_t)length;
    if (write_last_column(&name, last, packet))
        length += snprintf(out, room, "%-10s %-25s %-5s%s\n", kind, payload, name, last);
    else if (payload[0])
        length += snprintf(out, room, "%-10s %s\n", kind, payload);
    else
        length += snprintf(out, room, "%s\n", kind);
    return (size_t)length;
}
