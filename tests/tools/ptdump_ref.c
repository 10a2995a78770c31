/*
 * The packets of a trace as libipt's packet decoder sees them, in the dialect of its ptdump, which Debian does not
 * package: for comparing with `undertrace dump`.
 *
 * usage: ptdump_ref TRACE [FROM TO]      packets that start at FROM to TO; FROM is a PSB
 */
#include <fcntl.h>
#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* An IP payload: which bytes are not there is shown by question marks. */
static void print_ip(const char *name, const struct pt_packet_ip *ip)
{
    static const int digits[8] = {[pt_ipc_update_16] = 4, [pt_ipc_update_32] = 8, [pt_ipc_update_48] = 12};
    uint64_t value = ip->ip;
    if (ip->ipc == pt_ipc_suppressed) {
        printf("%-10s 0: ????????????????\n", name);
        return;
    }
    if (ip->ipc == pt_ipc_sext_48)
        value = (uint64_t)((int64_t)(value << 16) >> 16);
    int known = digits[ip->ipc] ? digits[ip->ipc] : 16;
    printf("%-10s %x: %.*s%0*" PRIx64 "\n", name, (unsigned)ip->ipc, 16 - known, "????????????????", known, value);
}

static void print_tnt(const char *name, const struct pt_packet_tnt *tnt)
{
    printf("%-10s ", name);
    for (int bit = tnt->bit_size - 1; bit >= 0; bit--)
        putchar(tnt->payload >> bit & 1 ? '!' : '.');
    putchar('\n');
}

static void print_mode(const struct pt_packet_mode *mode)
{
    int exec = mode->leaf == pt_mol_exec;
    const char *name = exec ? "mode.exec" : "mode.tsx";
    int first = exec ? mode->bits.exec.csd : mode->bits.tsx.intx;
    int second = exec ? mode->bits.exec.csl : mode->bits.tsx.abrt;
    if (!first && !second)
        printf("%s\n", name);
    else
        printf("%-10s %s%s%s\n", name,
               !first ? ""
               : exec ? "cs.d"
                      : "intx",
               first && second ? ", " : "",
               !second ? ""
               : exec  ? "cs.l"
                       : "abrt");
}

static void print_packet(const struct pt_packet *p)
{
    switch (p->type) {
    case ppt_pad:
        puts("pad");
        break;
    case ppt_psb:
        puts("psb");
        break;
    case ppt_psbend:
        puts("psbend");
        break;
    case ppt_ovf:
        puts("ovf");
        break;
    case ppt_stop:
        puts("stop");
        break;
    case ppt_fup:
        print_ip("fup", &p->payload.ip);
        break;
    case ppt_tip:
        print_ip("tip", &p->payload.ip);
        break;
    case ppt_tip_pge:
        print_ip("tip.pge", &p->payload.ip);
        break;
    case ppt_tip_pgd:
        print_ip("tip.pgd", &p->payload.ip);
        break;
    case ppt_tnt_8:
        print_tnt("tnt.8", &p->payload.tnt);
        break;
    case ppt_tnt_64:
        print_tnt("tnt.64", &p->payload.tnt);
        break;
    case ppt_mode:
        print_mode(&p->payload.mode);
        break;
    case ppt_pip: {
        char text[32];
        snprintf(text, sizeof(text), "%" PRIx64 "%s", p->payload.pip.cr3, p->payload.pip.nr ? ", nr" : "");
        printf("%-10s %-25s %-5s%016" PRIx64 "\n", "pip", text, "cr3", p->payload.pip.cr3);
        break;
    }
    case ppt_vmcs:
        printf("%-10s %-25" PRIx64 " %-5s%016" PRIx64 "\n", "vmcs", p->payload.vmcs.base, "vmcs", p->payload.vmcs.base);
        break;
    case ppt_tsc:
        printf("%-10s %" PRIx64 "\n", "tsc", p->payload.tsc.tsc);
        break;
    case ppt_cbr:
        printf("%-10s %x\n", "cbr", p->payload.cbr.ratio);
        break;
    case ppt_tma:
        printf("%-10s %x, %x\n", "tma", p->payload.tma.ctc, p->payload.tma.fc);
        break;
    case ppt_mtc:
        printf("%-10s %x\n", "mtc", p->payload.mtc.ctc);
        break;
    case ppt_ptw:
        printf("%-10s %x: %" PRIx64 "%s\n", "ptw", p->payload.ptw.plc, p->payload.ptw.payload,
               p->payload.ptw.ip ? ", ip" : "");
        break;
    case ppt_cyc:
        printf("%-10s %" PRIx64 "\n", "cyc", p->payload.cyc.value);
        break;
    default:
        printf("packet type %d\n", p->type);
    }
}

static int dump(struct pt_packet_decoder *decoder, uint64_t from, uint64_t to)
{
    int error = from ? pt_pkt_sync_set(decoder, from) : pt_pkt_sync_forward(decoder);
    while (error >= 0) {
        struct pt_packet packet;
        uint64_t offset = 0;
        pt_pkt_get_offset(decoder, &offset);
        if (offset >= to)
            return 0;
        error = pt_pkt_next(decoder, &packet, sizeof(packet));
        if (error < 0)
            break;
        printf("%016" PRIx64 "  ", offset);
        print_packet(&packet);
    }
    if (error == -pte_eos)
        return 0;
    fprintf(stderr, "ptdump_ref: %s\n", pt_errstr(pt_errcode(error)));
    return 1;
}

int main(int argc, char **argv)
{
    struct stat status;
    int fd = argc == 2 || argc == 4 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0) {
        fprintf(stderr, "usage: ptdump_ref TRACE [FROM TO]; TRACE is not empty\n");
        return 1;
    }
    uint8_t *trace = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (trace == MAP_FAILED) {
        perror(argv[1]);
        return 1;
    }
    struct pt_config config;
    pt_config_init(&config);
    config.begin = trace;
    config.end = trace + status.st_size;
    struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
    uint64_t from = argc == 4 ? strtoull(argv[2], NULL, 0) : 0,
             to = argc == 4 ? strtoull(argv[3], NULL, 0) : UINT64_MAX;
    int result = decoder ? dump(decoder, from, to) : 1;
    pt_pkt_free_decoder(decoder);
    return result;
}
