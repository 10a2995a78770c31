/*
 * The hypervisor's command line: words NAME=VALUE after undertrace.elf in the GRUB configuration (docs/options.md).
 */
#ifndef BOOT_OPTIONS_OPTIONS_H
#define BOOT_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/caps.h"
#include "serial/uart/uart_place.h"
#include "serial/wire/first.h"
#include "serial/wire/siphash.h"
#include "vmx/task_fields.h"

enum channel_kind { CHANNEL_AUTO, CHANNEL_NET, CHANNEL_UART, CHANNEL_NONE };

enum vtd_option { VTD_AUTO, VTD_ON, VTD_OFF };

/* pt.start=. START_AUTO: START_EXIT_BOOT_SERVICES where the firmware is part of the guest, else START_NOW. */
enum start_option { START_AUTO, START_NOW, START_EXIT_BOOT_SERVICES, START_ADDRESS };

#define NET_CARD_ANY 0xffffffffu /* not a valid segment, bus, device and function */

/* The values of all options. The rows in boot/options/ have their names, defaults and ranges. */
struct options {
    struct pt_options pt;    /* pt, pt.*, policy */
    enum start_option start; /* with START_ADDRESS, pt.trigger is the address */
    enum channel_kind channel;
    struct uart_place uart; /* the channel's UART */
    uint32_t uart_baud;
    uint32_t uart_base;          /* its clock / 16, a multiple of uart_baud */
    bool uart_compress;          /* by LZ4 */
    uint32_t uart_stall_seconds; /* how long the guest waits for a UART that accepts no byte; 0: for ever */
    struct uart_place console;
    uint32_t console_baud;
    uint32_t net_ip;   /* host byte order; 0: dhcp */
    uint32_t net_peer; /* host byte order; 0: announce */
    uint16_t net_port;
    uint16_t net_mtu;
    bool net_compress; /* by LZ4 */
    uint32_t net_card; /* as value_bdf, or NET_CARD_ANY */
    bool net_mac_given;
    uint8_t net_mac[6]; /* if net_mac_given */
    bool key_given;
    struct siphash_key key; /* if key_given: shared with the receiver */
    uint32_t net_wait_seconds;
    uint32_t net_stall_seconds; /* how long the guest waits for a receiver that does not answer; 0: for ever */
    bool stop_at_triple_fault;
    bool mitigations;
    enum vtd_option vtd;
    bool selftest;
    bool builtin_guest;
    bool code_pages;
    bool space_ends;
    struct task_fields tasks;
    struct wire_first first; /* test.first= */
    const char *load;        /* in the line, of load_size characters; 0: none */
    size_t load_size;
};

/* Where parsing stopped: the word, and what was expected. */
struct options_error {
    char word[64];
    const char *expected;
};

void options_default(struct options *options);

/* Overwrite the value of key= in the line, once it is parsed: the line is printed and recorded, and the guest can read
 * its memory. */
void options_hide_key(char *line);

/* Parse the words of line, on top of the current values. false: an unknown name, an invalid value or options that
 * exclude each other; *error says what was expected. */
bool options_parse(struct options *options, const char *line, struct options_error *error);

/* The same for a command while the guest runs, which may use only the options of boot/options/options_change.c. false:
 * as above, and *config is unchanged. */
bool options_change(struct pt_options *config, const char *line, struct options_error *error);

/* options_change with the error as a text of at most size bytes, including its NUL. A pt_options_parser. */
bool options_command(struct pt_options *config, const char *line, char *why, size_t size);

#endif
