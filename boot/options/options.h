/*
 * The hypervisor's command line: "name=value" words behind undertrace.elf in the GRUB configuration. docs/options.md.
 * Core.
 */
#ifndef BOOT_OPTIONS_OPTIONS_H
#define BOOT_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/caps.h"
#include "serial/uart/uart_place.h"
#include "vmx/task_fields.h"

enum channel_kind { CHANNEL_AUTO, CHANNEL_NET, CHANNEL_UART, CHANNEL_NONE };

enum vtd_wish { VTD_AUTO, VTD_ON, VTD_OFF };

#define NET_CARD_ANY 0xffffffffu /* no segment, bus, device, function */

struct options {
    struct pt_options
        pt; /* pt=on pt.region=512K pt.regions=8 pt.os=on pt.user=on pt.tsc=on pt.retc=on pt.psb=auto ... */
    enum channel_kind channel; /* channel=auto: net where there is a card, else none */
    struct uart_place uart; /* uart.port=com2 (com1..com4, 0x..., mem:, mem32:, a PCI card, spcr): the channel's UART */
    uint32_t uart_baud;     /* uart.baud=115200 */
    uint32_t uart_base;     /* uart.base=115200: its clock / 16, which uart.baud divides */
    uint32_t uart_stall_seconds; /* uart.stall=300: of waiting for a UART that takes nothing; 0: for ever */
    struct uart_place console;   /* console=com1 (the same, or none): where boot messages go */
    uint32_t console_baud;       /* console.baud=115200 */
    uint32_t net_ip;             /* net.ip=10.0.2.15, host byte order; 0: dhcp */
    uint32_t net_peer;           /* net.peer=10.0.2.2; 0: announce */
    uint16_t net_port;           /* net.port=21845: UDP port, ours and the receiver's */
    uint16_t net_mtu;            /* net.mtu=1500, 576 to 16110 */
    uint32_t net_card;           /* net.card=auto, or bus:device.function in hexadecimal as lspci prints it */
    bool net_mac_given;          /* net.mac=52:54:00:12:34:56: the card with this address */
    uint8_t net_mac[6];
    uint32_t net_wait_seconds;  /* net.wait=30: how long to wait for the receiver at start */
    uint32_t net_stall_seconds; /* net.stall=300: how long the guest waits when nobody answers; 0: for ever */
    bool stop_at_triple_fault;  /* triple=reset: what the guest's triple fault does; or stop, with a dump */
    enum vtd_wish vtd;          /* vtd=auto: keep the guest's devices from our memory: boot/vtd/protect.h */
    bool selftest;              /* selftest=off: look at the machine and its wire, start no guest */
    bool builtin_guest;         /* guest=modules: what boots; builtin: boot/guest/builtin.h */
    bool code_pages;            /* code=on: send code pages (EPT W^X) */
    bool space_ends;            /* code.ends=on: tell where address spaces end */
    struct task_fields tasks;   /* tasks=off; CURRENT,PID,COMM,VFORK[,ENTRY] */
};

/* Where parsing stopped: the word, and what it should have been. */
struct options_error {
    char word[64];
    const char *expected;
};

void options_default(struct options *options);

/* Parse the words of line. Unknown names and bad values are errors. pt.switch=root is accepted; its other
 * values are errors that say so. false: *error says what. */
bool options_parse(struct options *options, const char *line, struct options_error *error);

/* The same for the words of a command, while the guest runs: those of docs/options.md that can change then. false:
 * *error says what, *config is as it was. */
bool options_change(struct pt_options *config, const char *line, struct options_error *error);

/* options_change, with what it says as text of at most size bytes, 0 at its end included (a pt_options_parser). */
bool options_command(struct pt_options *config, const char *line, char *why, size_t size);

#endif
