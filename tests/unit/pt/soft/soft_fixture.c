#include "tests/unit/pt/soft/soft_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct instruction nop = {.length = 1, .kind = INSTRUCTION_PLAIN, .opcode = 0x90};
const struct instruction jz = {.length = 2, .kind = INSTRUCTION_JCC, .opcode = 0x74, .ip_bytes = 8};
const struct instruction jmp = {.length = 5, .kind = INSTRUCTION_JMP_DIRECT, .opcode = 0xe9, .ip_bytes = 8};
const struct instruction jmp_rax = {.length = 2, .kind = INSTRUCTION_JMP_INDIRECT, .opcode = 0xff, .ip_bytes = 8};
const struct instruction call = {.length = 5, .kind = INSTRUCTION_CALL_DIRECT, .opcode = 0xe8, .ip_bytes = 8};
const struct instruction call_rax = {.length = 2, .kind = INSTRUCTION_CALL_INDIRECT, .opcode = 0xff, .ip_bytes = 8};
const struct instruction ret = {.length = 1, .kind = INSTRUCTION_RET, .opcode = 0xc3, .ip_bytes = 8};
const struct instruction syscall_far = {.length = 2, .kind = INSTRUCTION_FAR_CALL, .opcode = 0x05};
const struct instruction iret = {.length = 2, .kind = INSTRUCTION_FAR_RETURN, .opcode = 0xcf};
const struct instruction jmp_far = {.length = 2, .kind = INSTRUCTION_FAR_JUMP, .opcode = 0xff};
const struct instruction int3 = {.length = 1, .kind = INSTRUCTION_FAR_CALL, .opcode = 0xcc};
const struct instruction int_n = {.length = 2, .kind = INSTRUCTION_FAR_CALL, .opcode = 0xcd};
const struct instruction into = {.length = 1, .kind = INSTRUCTION_FAR_CALL, .opcode = 0xce};
const struct instruction mov_cr3 = {.length = 3, .kind = INSTRUCTION_MOV_CR3, .opcode = 0x22};

int soft_setup(void **state)
{
    struct soft_fixture *f = calloc(1, sizeof(*f));

    if (!f)
        return -1;
    f->pt.regions = (struct soft_memory){f->regions, REGIONS_PA};
    f->pt.tables = (struct soft_memory){(uint8_t *)f->tables, TABLES_PA};
    f->pt.tsc = 0x1234;
    f->tables[0] = REGIONS_PA | (uint64_t)topa_size_code(REGIONS_BYTES) << TOPA_SIZE_SHIFT;
    f->tables[1] = TABLES_PA | TOPA_END;
    f->at = (struct soft_context){.ip = 0x401000, .cr3 = 0x5000, .cs_l = true};
    *state = f;
    return 0;
}

int soft_teardown(void **state)
{
    free(*state);
    return 0;
}

void soft_on(struct soft_fixture *f, uint64_t ctl, uint32_t byte_cnt)
{
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_BASE, TABLES_PA);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS, TOPA_PTRS_LOWER_ONES);
    soft_pt_write(&f->pt, IA32_RTIT_STATUS, (uint64_t)byte_cnt << 32);
    soft_pt_write(&f->pt, IA32_RTIT_CTL, ctl);
}

void soft_running(struct soft_fixture *f, uint64_t ctl)
{
    soft_on(f, ctl, 1);
    soft_pt_step_begin(&f->pt, &f->at);
    soft_text(f);
}

void soft_range(struct soft_fixture *f, uint32_t i, uint64_t first, uint64_t last)
{
    soft_pt_write(&f->pt, IA32_RTIT_ADDR0_A + 2 * i, first);
    soft_pt_write(&f->pt, IA32_RTIT_ADDR0_A + 2 * i + 1, last);
}

void soft_step_to(struct soft_fixture *f, const struct instruction *instruction, struct soft_context to)
{
    soft_pt_step_begin(&f->pt, &f->at);
    f->at = to;
    soft_pt_executed(&f->pt, instruction, &to);
}

void soft_step(struct soft_fixture *f, const struct instruction *instruction, uint64_t to)
{
    struct soft_context place = f->at;

    place.ip = to;
    soft_step_to(f, instruction, place);
}

void soft_event(struct soft_fixture *f, struct soft_context to)
{
    soft_pt_step_begin(&f->pt, &f->at);
    f->at = to;
    soft_pt_delivered(&f->pt, &to);
}

size_t soft_written(const struct soft_fixture *f)
{
    return (size_t)(soft_pt_read(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS) >> 32);
}

static size_t ip_text(char *text, size_t room, struct soft_fixture *f, const struct packet *packet)
{
    if (!pt_ip_expand(&f->last_ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, f->last_ip))
        return (size_t)snprintf(text, room, " -");
    return (size_t)snprintf(text, room, " %" PRIx64, f->last_ip);
}

static size_t tnt_text(char *text, const struct packet *packet)
{
    size_t size = 0;

    text[size++] = ' ';
    for (unsigned bit = packet->tnt_bits; bit-- > 0;)
        text[size++] = packet->tnt >> bit & 1 ? '!' : '.';
    text[size] = 0;
    return size;
}

static size_t payload_text(char *text, size_t room, struct soft_fixture *f, const struct packet *packet)
{
    switch (packet->kind) {
    case PT_PACKET_TIP:
    case PT_PACKET_TIP_PGE:
    case PT_PACKET_TIP_PGD:
    case PT_PACKET_FUP:
        return ip_text(text, room, f, packet);
    case PT_PACKET_TNT_8:
        return tnt_text(text, packet);
    case PT_PACKET_PIP:
        return (size_t)snprintf(text, room, " %" PRIx64 "%s", packet->cr3, packet->non_root ? " NR" : "");
    case PT_PACKET_MODE_EXEC:
        assert_false(packet->cs_l && packet->cs_d); /* "Reserved" in Table "MODE.Exec Packet Definition" */
        return (size_t)snprintf(text, room, " %d", packet->cs_l ? 64 : packet->cs_d ? 32 : 16);
    case PT_PACKET_TSC:
        return (size_t)snprintf(text, room, " %" PRIx64, packet->tsc);
    case PT_PACKET_PSB:
        f->last_ip = 0;
        return 0;
    default:
        return 0;
    }
}

const char *soft_text(struct soft_fixture *f)
{
    const size_t end = soft_written(f);
    size_t size = 0;

    f->text[0] = 0;
    while (f->read < end) {
        struct packet packet;
        const int bytes = packet_parse(&packet, f->regions + f->read, end - f->read);

        assert_true(bytes > 0);
        f->read += (size_t)bytes;
        assert_true(size + 64 < sizeof(f->text));
        size += (size_t)snprintf(f->text + size, 32, "%s%s", size ? "; " : "", packet_name(packet.kind));
        size += payload_text(f->text + size, 32, f, &packet);
    }
    return f->text;
}
