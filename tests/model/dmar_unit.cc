/*
 * A DMA-remapping unit (VT-d) in front of the I/O APIC: it remaps that one's interrupts, through the tables that the
 * guest makes. DMA is not translated: once a guest has enabled translation, no device reaches memory any more, as with
 * tables that map nothing.
 *
 * Source: Intel Virtualization Technology for Directed I/O, Architecture Specification 4.1: 5.1.3 (interrupt requests
 * in remappable format), 5.1.5.1 (I/O APIC), 6.5.2 (queued invalidation), 7.1.3 (fault reasons), 9.9
 * (interrupt-remapping table entry), 11.4 (registers).
 */
#include "pt_internal.h"

#include "cpu/apic.h"
#include "memory/memory-bochs.h"

static const uint64_t UNIT_PA = 0xfed90000, PAGE = 4096;
static const uint16_t IO_APIC_SOURCE = 0xf0f8; /* bus F0H, device 1FH, function 0: tests/rig/dmar.sh says so too */

enum {
    VER = 0x00,
    CAP = 0x08,
    ECAP = 0x10,
    GCMD = 0x18,
    GSTS = 0x1c,
    FSTS = 0x34,
    FECTL = 0x38,
    PMEN = 0x64,
    IQH = 0x80,
    IQT = 0x88,
    IQA = 0x90,
    ICS = 0x9c,
    IECTL = 0xa0,
    IRTA = 0xb8,
    FAULT = 0x100,
    IOTLB = 0x200
};

/* A unit of today: domains, write-back of protected memory, 39 and 48 bits, 47 address bits, one fault record;
 * coherent, queues, interrupts with 32-bit destinations, pass-through, scalable mode with both stages. */
static const uint64_t CAPABILITIES =
    2 | 1 << 5 | 1 << 6 | 6 << 8 | 47 << 16 | (uint64_t)(FAULT / 16) << 24 | 3ull << 34;
static const uint64_t EXTENDED = 0x1b | 3 << 6 | IOTLB / 16 << 8 | 0xf << 20 | 1ull << 43 | 3ull << 46;

static const uint32_t TE = 1u << 31, SRTP = 1 << 30, QIE = 1 << 26, IRE = 1 << 25, SIRTP = 1 << 24, CFI = 1 << 23;
static const uint32_t FSTS_OVERFLOW = 1, FSTS_PENDING = 2, FSTS_QUEUE_ERROR = 16, FSTS_WRITE_ONE = 0x71;
static const uint32_t EVENT_MASKED = 1u << 31;
static const uint64_t EXTENDED_MODE = 1 << 11, WIDE_DESCRIPTORS = 1 << 11; /* IRTA, IQA */

static const uint8_t INDEX_TOO_LARGE = 0x21, NOT_PRESENT = 0x22, COMPATIBLE = 0x25, WRONG_SOURCE = 0x26;

struct entry {
    uint64_t low, high;
};

static struct {
    uint8_t registers[PAGE];
    uint64_t table; /* IRTA as it was at SIRTP */
    struct {
        bool valid;
        uint32_t index;
        struct entry entry;
    } cache[256]; /* stays as it is until the guest invalidates it */
    uint64_t nr_remapped, nr_blocked, nr_invalidations;
    bool translated, protects;
} unit;

static uint32_t get32(uint32_t at)
{
    uint32_t value;
    memcpy(&value, unit.registers + at, sizeof(value));
    return value;
}

static uint64_t get64(uint32_t at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

static void put32(uint32_t at, uint32_t value)
{
    memcpy(unit.registers + at, &value, sizeof(value));
}

static void put64(uint32_t at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static bool is_on(uint32_t bit)
{
    return (get32(GSTS) & bit) != 0;
}

void ptm_dmar_reset(void)
{
    memset(unit.registers, 0, PAGE);
    memset(unit.cache, 0, sizeof(unit.cache));
    unit.table = 0;
    put32(VER, 0x60);
    put64(CAP, CAPABILITIES);
    put64(ECAP, EXTENDED);
    put32(FECTL, EVENT_MASKED);
    put32(IECTL, EVENT_MASKED);
}

/* 7.2.1: there is one record. Its event has no interrupt here. */
static void fault(uint8_t reason, uint32_t index)
{
    unit.nr_blocked++;
    if (get32(FAULT + 12) >> 31) {
        put32(FSTS, get32(FSTS) | FSTS_OVERFLOW);
        return;
    }
    put64(FAULT, (uint64_t)index << 48);
    put64(FAULT + 8, IO_APIC_SOURCE | (uint64_t)reason << 32 | 1ull << 63);
    put32(FSTS, get32(FSTS) | FSTS_PENDING);
}

static struct entry table_entry(uint32_t index)
{
    auto *cached = &unit.cache[index % 256];
    if (!cached->valid || cached->index != index) {
        const uint64_t pa = (unit.table & ~(PAGE - 1)) + index * sizeof(struct entry);
        BX_MEM(0)->readPhysicalPage(NULL, pa, sizeof(cached->entry), &cached->entry);
        cached->valid = true;
        cached->index = index;
    }
    return cached->entry;
}

/* 9.9: SVT and SQ */
static bool source_is_right(const struct entry *entry)
{
    static const uint16_t ignored[] = {0, 4, 6, 7};
    const unsigned svt = entry->high >> 18 & 3, sq = entry->high >> 16 & 3;
    const uint16_t id = (uint16_t)entry->high;
    if (svt == 1)
        return ((id ^ IO_APIC_SOURCE) & ~ignored[sq]) == 0;
    return svt == 0 || (IO_APIC_SOURCE >> 8 >= id >> 8 && IO_APIC_SOURCE >> 8 <= (id & 0xff));
}

static bool deliver_remapped(uint32_t index)
{
    if (index >= 2u << (unit.table & 15)) {
        fault(INDEX_TOO_LARGE, index);
        return true;
    }
    const struct entry entry = table_entry(index);
    if (!(entry.low & 1) || !source_is_right(&entry)) {
        fault(entry.low & 1 ? WRONG_SOURCE : NOT_PRESENT, index);
        return true;
    }
    const uint32_t destination = (uint32_t)(entry.low >> 32);
    unit.nr_remapped++;
    return apic_bus_deliver_interrupt(entry.low >> 16 & 0xff,
                                      unit.table & EXTENDED_MODE ? destination : destination >> 8 & 0xff,
                                      entry.low >> 5 & 7, entry.low >> 2 & 1, false, entry.low >> 4 & 1);
}

/* high, low: the I/O APIC's redirection table entry. true: the interrupt is delivered, or blocked. */
bool ptm_dmar_deliver(uint32_t high, uint32_t low, uint8_t vector)
{
    if (is_on(IRE) && (high & 1 << 16))
        return deliver_remapped((high >> 17 & 0x7fff) | (low >> 11 & 1) << 15);
    if (is_on(IRE) && (!is_on(CFI) || (unit.table & EXTENDED_MODE))) {
        fault(COMPATIBLE, 0);
        return true;
    }
    return apic_bus_deliver_interrupt(vector, high >> 24, low >> 8 & 7, low >> 11 & 1, low >> 13 & 1, low >> 15 & 1);
}

/* 6.5.2.8: invalidation wait. */
static void wait_descriptor(const struct entry *descriptor)
{
    uint32_t status = (uint32_t)(descriptor->low >> 32);
    if (descriptor->low & 1 << 5)
        BX_MEM(0)->writePhysicalPage(NULL, descriptor->high & ~3ull, sizeof(status), &status);
    if (descriptor->low & 1 << 4)
        put32(ICS, 1);
}

/* 6.5.2: everything that is queued is done at once. */
static void queue_run(void)
{
    const uint64_t queue = get64(IQA);
    const uint32_t size = queue & WIDE_DESCRIPTORS ? 32 : 16;
    const uint64_t bytes = PAGE << (queue & 7);
    while (is_on(QIE) && !(get32(FSTS) & FSTS_QUEUE_ERROR) && get64(IQH) != get64(IQT)) {
        struct entry descriptor;
        BX_MEM(0)->readPhysicalPage(NULL, (queue & ~(PAGE - 1)) + get64(IQH), sizeof(descriptor), &descriptor);
        const unsigned type = (descriptor.low & 15) | (descriptor.low >> 9 & 7) << 4;
        if (type == 0 || type > 5) {
            put32(FSTS, get32(FSTS) | FSTS_QUEUE_ERROR);
            return;
        }
        if (type == 4) {
            memset(unit.cache, 0, sizeof(unit.cache));
            unit.nr_invalidations++;
        } else if (type == 5) {
            wait_descriptor(&descriptor);
        }
        put64(IQH, (get64(IQH) + size) % bytes);
    }
}

/* 11.4.4 */
static void command(uint32_t value)
{
    uint32_t status = get32(GSTS) & (SRTP | SIRTP);
    if (value & SIRTP)
        unit.table = get64(IRTA);
    unit.translated |= (value & TE) != 0;
    put32(GSTS, status | (value & (TE | SRTP | QIE | IRE | SIRTP | CFI)));
    if (!(value & QIE))
        put64(IQH, 0);
    queue_run();
}

static void write32(uint32_t at, uint32_t value)
{
    if (at == GCMD) {
        command(value);
    } else if (at == FSTS) {
        put32(FSTS, get32(FSTS) & ~(value & FSTS_WRITE_ONE));
        queue_run();
    } else if (at == ICS) {
        put32(ICS, get32(ICS) & ~value);
    } else if (at == FAULT + 12) {
        if (value >> 31)
            put32(FAULT + 12, get32(FAULT + 12) & 0x7fffffff);
        if (!(get32(FAULT + 12) >> 31))
            put32(FSTS, get32(FSTS) & ~FSTS_PENDING);
    } else if (at == PMEN) {
        put32(PMEN, value >> 31 << 31 | value >> 31);
        unit.protects |= value >> 31;
    } else if (at == IOTLB + 12 || at == 0x2c) {
        put32(at, value & 0x7fffffff); /* done */
    } else if (at > GSTS && (at < FAULT || at >= IOTLB) && at != IQH && at != IQH + 4) {
        put32(at, value);
        if (at == IQT)
            queue_run();
    }
}

/* 11.2: software accesses registers as aligned doublewords or quadwords. */
static bool is_proper(uint64_t pa, unsigned length)
{
    if ((length == 4 || length == 8) && pa % length == 0)
        return true;
    fprintf(stderr, "ptmodel: an access of %u bytes to the remapping unit at %llx\n", length, (unsigned long long)pa);
    return false;
}

static bool unit_read(bx_phy_address pa, unsigned length, void *data, void *)
{
    memset(data, 0xff, length);
    if (is_proper(pa, length))
        memcpy(data, unit.registers + pa % PAGE, length);
    return true;
}

static bool unit_write(bx_phy_address pa, unsigned length, void *data, void *)
{
    for (unsigned n = 0; is_proper(pa, length) && n < length; n += 4) {
        uint32_t value;
        memcpy(&value, (uint8_t *)data + n, sizeof(value));
        write32((uint32_t)(pa % PAGE) + n, value);
    }
    return true;
}

bool ptm_dmar_blocks_dma(void)
{
    return is_on(TE);
}

void ptm_dmar_start(void)
{
    if (ptm_config.dmar)
        BX_MEM(0)->registerMemoryHandlers(&unit, unit_read, unit_write, UNIT_PA, UNIT_PA + PAGE - 1);
}

void ptm_dmar_print(FILE *file)
{
    if (ptm_config.dmar)
        fprintf(file,
                "ptmodel: VT-d: %llu interrupts remapped, %llu blocked, %llu invalidations; translation %s, protected "
                "memory %s\n",
                (unsigned long long)unit.nr_remapped, (unsigned long long)unit.nr_blocked,
                (unsigned long long)unit.nr_invalidations, unit.translated ? "enabled" : "never enabled",
                unit.protects ? "enabled" : "never enabled");
}
