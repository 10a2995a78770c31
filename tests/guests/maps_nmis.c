/*
 * NMIs while a page is being mapped. A handler of page faults blocks no NMIs: one that it sends to itself is taken at
 * once, and its handler's IRET comes before that of the page fault's.
 */
#include "maps.h"

#define FIRST 350u
#define NR 20u
#define ICR_NMI_SELF 0x4400u /* the destination is our own ID */
#define MOST_TURNS 1000u     /* many times what an NMI takes */

static volatile uint32_t nmis, in_time;

static __attribute__((interrupt)) void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
}

static void nmi_take(struct space *space, uint32_t page)
{
    const uint32_t before = nmis;

    (void)space;
    (void)page;
    APIC(0x310) = APIC(0x20);
    APIC(0x300) = ICR_NMI_SELF;
    for (uint32_t turns = 0; nmis == before && turns < MOST_TURNS; turns++)
        __asm__ volatile("pause");
    in_time += nmis == before + 1;
}

void nmis_story(struct space *space, uint8_t (*programs)[PAGE], uint32_t turns)
{
    interrupt_set(2, (void *)on_nmi, 0);
    handler_pauses = nmi_take;
    for (uint32_t i = 0; i < NR; i++) {
        const uint32_t number = 1 + i % 4;

        want(space, FIRST + i, programs[number]);
        run("maps: NMIs meanwhile", space, address_of(FIRST + i), number * turns);
    }
    handler_pauses = NULL;
    cr3_set(kernel_cr3);
    expect("maps: NMIs that a handler took before it returned", in_time, NR);
    expect("maps: NMIs", nmis, NR);
}
