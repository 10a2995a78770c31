/* The hypervisor's command line: valid and invalid values of each option (docs/options.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/options/options.h"

static struct options parsed(const char *line)
{
    struct options options;
    struct options_error error = {"", NULL};
    options_default(&options);
    if (!options_parse(&options, line, &error))
        fail_msg("\"%s\": refused at \"%s\"", line, error.word);
    return options;
}

static void refused(const char *line, const char *word, const char *expected)
{
    struct options options;
    struct options_error error = {"", NULL};
    options_default(&options);
    if (options_parse(&options, line, &error))
        fail_msg("\"%s\": accepted", line);
    assert_string_equal(error.word, word);
    if (!strstr(error.expected, expected))
        fail_msg("\"%s\": expected %s", line, error.expected);
}

static void vtd(void **state)
{
    (void)state;
    assert_int_equal(parsed("vtd=on").vtd, VTD_ON);
    assert_int_equal(parsed("vtd=off").vtd, VTD_OFF);
    assert_int_equal(parsed("vtd=on vtd=auto").vtd, VTD_AUTO);
    refused("vtd=yes", "vtd=yes", "on, off or auto");
}

static void defaults(void **state)
{
    (void)state;
    struct options o = parsed("");
    assert_true(o.pt.enabled && o.pt.os && o.pt.user && o.pt.tsc && !o.pt.disable_retc);
    assert_int_equal(o.vtd, VTD_AUTO);
    assert_int_equal(o.pt.region_bytes, 512 << 10);
    assert_int_equal(o.pt.nr_regions, 8);
    assert_int_equal(o.pt.psb_bytes, PT_PSB_AUTO);
    assert_int_equal(o.pt.flush_ms, 100);
    assert_int_equal(o.channel, CHANNEL_AUTO);
    assert_int_equal(o.uart.kind, UART_AT_PORT);
    assert_int_equal(o.uart.at, 0x2f8);
    assert_int_equal(o.console.at, 0x3f8);
    assert_int_equal(o.net_ip, 0x0a00020f);
    assert_int_equal(o.net_peer, 0x0a000202);
    assert_int_equal(o.net_port, 21845);
    assert_int_equal(o.net_mtu, 1500);
    assert_int_equal(o.net_wait_seconds, 30);
    assert_true(o.code_pages);
}

static void tasks(void **state)
{
    (void)state;
    struct options o = parsed("");
    assert_int_equal(o.tasks.comm, 0);
    o = parsed("tasks=0x1fb80,0x970,0xba0,0xa40");
    assert_int_equal(o.tasks.current, 0x1fb80);
    assert_int_equal(o.tasks.pid, 0x970);
    assert_int_equal(o.tasks.comm, 0xba0);
    assert_int_equal(o.tasks.vfork, 0xa40);
    assert_int_equal(o.tasks.entry, 0);
    o = parsed("tasks=0xffffffff83dbd018,2808,0xd10,0xbb8,0xffffffff81000080");
    assert_true(o.tasks.current == 0xffffffff83dbd018 && o.tasks.pid == 2808);
    assert_true(o.tasks.entry == 0xffffffff81000080);
    o = parsed("tasks=0x1fb80,0x970,0xba0,0xa40 tasks=off");
    assert_true(o.tasks.comm == 0 && o.tasks.current == 0);
    static const char *const bad[] = {"tasks=",        "tasks=on",      "tasks=1",          "tasks=1,2,3",
                                      "tasks=1,2,0,4", "tasks=1,2,3,x", "tasks=1,2,3,4,5,", "tasks=1,2,3,4,5,6",
                                      "tasks=1,,3,4",  "tasks=off,1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refused(bad[i], bad[i], "undertrace kernel-options");
}

static void first_numbers(void **state)
{
    (void)state;
    struct options o = parsed("");
    assert_true(o.first.frame == 0 && o.first.trace == 0 && o.first.records == 0 && o.first.code == 0);
    o = parsed("test.first=4294967280,0xffc00000,0xfffff000,4294967294");
    assert_true(o.first.frame == 4294967280 && o.first.trace == 0xffc00000);
    assert_true(o.first.records == 0xfffff000 && o.first.code == 4294967294);
    o = parsed("test.first=1,0xffff0000,8,2 pt.region=16K pt.regions=4");
    assert_true(o.first.trace == 0xffff0000);
    o = parsed("test.first=1,0,8,2 test.first=off");
    assert_true(o.first.frame == 0 && o.first.records == 0);
    static const char *const bad[] = {"test.first=",          "test.first=1",        "test.first=1,0,8",
                                      "test.first=1,0,8,2,3", "test.first=1,0,8,2,", "test.first=1,0,9,2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refused(bad[i], bad[i], "FRAME,TRACE,RECORDS,CODE");
    refused("test.first=1,4096,8,2", "test.first", "pt.region");
}

static void each_option(void **state)
{
    (void)state;
    struct options o = parsed("  pt=off pt.region=4K pt.regions=4\tpt.os=off pt.user=off pt.tsc=off pt.retc=off "
                              "pt.psb=2K pt.switch=root policy=stall channel=uart uart.port=com4 uart.baud=9600 "
                              "console=none console.baud=57600 net.ip=192.168.1.2 net.peer=255.255.255.255 "
                              "net.port=65535 net.mtu=16110 net.wait=0 code=off  ");
    assert_false(o.pt.enabled || o.pt.os || o.pt.user || o.pt.tsc || o.code_pages);
    assert_true(o.pt.disable_retc);
    assert_int_equal(o.pt.region_bytes, 4096);
    assert_int_equal(o.pt.nr_regions, 4);
    assert_int_equal(o.pt.psb_bytes, 2048);
    assert_int_equal(o.channel, CHANNEL_UART);
    assert_int_equal(o.uart.at, 0x2e8);
    assert_int_equal(o.uart_baud, 9600);
    assert_int_equal(o.console.kind, UART_NONE);
    assert_int_equal(o.console_baud, 57600);
    assert_int_equal(o.net_ip, 0xc0a80102);
    assert_int_equal(o.net_peer, 0xffffffff);
    assert_int_equal(o.net_port, 65535);
    assert_int_equal(o.net_mtu, 16110);
    assert_int_equal(o.net_wait_seconds, 0);
    assert_int_equal(parsed("pt.region=128M").pt.region_bytes, 128 << 20);
    assert_int_equal(parsed("pt.region=0x100000").pt.region_bytes, 1 << 20);
    assert_int_equal(parsed("console=0x2F0").console.at, 0x2f0);
    assert_int_equal(parsed("channel=none channel=net").channel, CHANNEL_NET);
    assert_int_equal(parsed("channel=none channel=e1000").channel, CHANNEL_NET);
    assert_int_equal(parsed("net.ip=dhcp").net_ip, 0);
    assert_int_equal(parsed("net.peer=announce").net_peer, 0);
    assert_false(parsed("").net_mac_given);
    assert_int_equal(parsed("").net_stall_seconds, 300);
    assert_int_equal(parsed("net.stall=0").net_stall_seconds, 0);
    assert_false(parsed("").uart_compress || parsed("").net_compress);
    assert_true(parsed("uart.compress=lz4").uart_compress);
    assert_true(parsed("net.compress=lz4").net_compress);
    assert_false(parsed("net.compress=lz4 net.compress=off").net_compress);
    assert_int_equal(parsed("").uart_stall_seconds, 300);
    assert_int_equal(parsed("uart.stall=7").uart_stall_seconds, 7);
    o = parsed("net.mac=52:54:00:aB:Cd:ff");
    assert_true(o.net_mac_given);
    assert_memory_equal(o.net_mac, ((const uint8_t[]){0x52, 0x54, 0x00, 0xab, 0xcd, 0xff}), 6);
    assert_false(parsed("net.mac=52:54:00:ab:cd:ff net.mac=any").net_mac_given);
}

/* The key is parsed, and then no longer in the line, wherever it is there. */
#define KEY_EXPECTED "off, or 32 hexadecimal digits, as undertrace receive --key reads them from a file"

static void keys(void **state)
{
    char line[] = "key=off monkey=1 net.port=7 key=000102030405060708090A0B0C0D0E0F key=ff";
    (void)state;
    assert_false(parsed("").key_given);
    struct options o = parsed("key=000102030405060708090A0B0C0D0E0F net.port=7");
    assert_true(o.key_given);
    assert_int_equal(o.key.k0, 0x0706050403020100);
    assert_int_equal(o.key.k1, 0x0f0e0d0c0b0a0908);
    assert_false(parsed("key=000102030405060708090a0b0c0d0e0f key=off").key_given);
    refused("key=000102030405060708090a0b0c0d0e0", "key=000102030405060708090a0b0c0d0e0", KEY_EXPECTED);
    refused("key=000102030405060708090a0b0c0d0e0g", "key=000102030405060708090a0b0c0d0e0g", KEY_EXPECTED);
    refused("key=000102030405060708090a0b0c0d0e0f0", "key=000102030405060708090a0b0c0d0e0f0", KEY_EXPECTED);
    options_hide_key(line);
    assert_string_equal(line, "key=off monkey=1 net.port=7 key=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx key=xx");
}

static void what_to_trace(void **state)
{
    (void)state;
    struct options o = parsed("");
    assert_true(!o.pt.no_branches && !o.pt.ptwrite && o.pt.mtc_on && !o.pt.cyc_on && !o.pt.cr3_on);
    assert_int_equal(o.pt.mtc, PT_MTC_AUTO);
    assert_int_equal(o.pt.way, PT_SWITCH_ROOT);
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        assert_int_equal(o.pt.ranges[i].kind, PT_RANGE_OFF);
    o = parsed("pt.branch=off pt.ptwrite=on pt.mtc=0 pt.cyc=15 pt.cr3=0x1ab020 pt.switch=list pt.psb=auto "
               "pt.range0=filter:0x1000-0x1fff pt.range3=stop:0xffffffff81000000-0xffffffffffffffff");
    assert_true(o.pt.no_branches && o.pt.ptwrite && o.pt.mtc_on && o.pt.cyc_on && o.pt.cr3_on);
    assert_int_equal(o.pt.mtc, 0);
    assert_int_equal(o.pt.cyc, 15);
    assert_true(o.pt.cr3[0] == 0x1ab020 && o.pt.cr3[1] == 0);
    assert_int_equal(o.pt.way, PT_SWITCH_LIST);
    assert_int_equal(o.pt.psb_bytes, PT_PSB_AUTO);
    assert_int_equal(o.pt.ranges[0].kind, PT_RANGE_FILTER);
    assert_int_equal(o.pt.ranges[0].start, 0x1000);
    assert_int_equal(o.pt.ranges[0].end, 0x1fff);
    assert_int_equal(o.pt.ranges[3].kind, PT_RANGE_STOP);
    assert_true(o.pt.ranges[3].start == 0xffffffff81000000 && o.pt.ranges[3].end == ~0ull);
    o = parsed("pt.cr3=0x1ab020,0x1ac000");
    assert_true(o.pt.cr3_on && o.pt.cr3[0] == 0x1ab020 && o.pt.cr3[1] == 0x1ac000);
    o = parsed("pt.cr3=0x1000,0x2000 pt.cr3=0x1000");
    assert_true(o.pt.cr3_on && o.pt.cr3[0] == 0x1000 && o.pt.cr3[1] == 0);
    o = parsed("pt.mtc=3 pt.mtc=off pt.cr3=0x20 pt.cr3=off pt.range1=stop:1-2 pt.range1=off pt.switch=vmcs");
    assert_true(!o.pt.mtc_on && !o.pt.cr3_on && o.pt.ranges[1].kind == PT_RANGE_OFF && o.pt.way == PT_SWITCH_VMCS);
}

static void cards(void **state)
{
    static const char *const bad[] = {"net.card=00:1f",        "net.card=00:1f.8",      "net.card=00:20.0",
                                      "net.card=000:00:1f.6",  "net.card=1:00:1f.6",    "net.card=:00:1f.6",
                                      "net.card=0000:00:1f.",  "net.card=0000:0000:1f", "net.card=ffff:00:1f.6",
                                      "net.card=0000-00:1f.6", "net.card=0001:0g:1f.6", "net.card=0001:00:1f.60"};
    (void)state;
    assert_int_equal(parsed("net.card=00:1f.6").net_card, 0xfe);
    assert_int_equal(parsed("net.card=0000:ab:1f.6").net_card, 0xabfe);
    assert_int_equal(parsed("net.card=10aB:02:03.4").net_card, 0x10ab021c);
    assert_int_equal(parsed("net.card=00:1f.6 net.card=auto").net_card, NET_CARD_ANY);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(bad[i], bad[i], "00:1f.6");
}

static void bad_mac_addresses(void **state)
{
    static const char *const macs[] = {"net.mac=",
                                       "net.mac=52:54:00:12:34",
                                       "net.mac=52:54:00:12:34:5",
                                       "net.mac=52:54:00:12:34:56:",
                                       "net.mac=52-54-00-12-34-56",
                                       "net.mac=52:54:00:12:34:5g",
                                       "net.mac=525400123456"};
    (void)state;
    for (size_t i = 0; i < sizeof macs / sizeof macs[0]; i++)
        refused(macs[i], macs[i], "52:54:00:12:34:56");
}

static void bad_choices(void **state)
{
    static const char *const ranges[] = {"pt.range0=",
                                         "pt.range0=filter",
                                         "pt.range0=filter:",
                                         "pt.range0=filter:1",
                                         "pt.range0=filter:1-",
                                         "pt.range0=filter:-1",
                                         "pt.range0=1-2",
                                         "pt.range0=keep:1-2",
                                         "pt.range0=filter:2-1",
                                         "pt.range0=stop:1-2-3",
                                         "pt.range0=stop:0x800000000000-0x900000000000"};
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        refused(ranges[i], ranges[i], "START-END");
    refused("net.ip=0.0.0.0", "net.ip=0.0.0.0", "dhcp, or");
    refused("net.peer=0.0.0.0", "net.peer=0.0.0.0", "announce, or");
    refused("net.peer=dhcp", "net.peer=dhcp", "announce, or");
    refused("net.stall=86401", "net.stall=86401", "0 (for ever) to 86400");
    refused("net.compress=on", "net.compress=on", "off or lz4");
    refused("uart.compress=zstd", "uart.compress=zstd", "off or lz4");
    refused("uart.stall=86401", "uart.stall=86401", "0 (for ever) to 86400");
    refused("pt.range4=off", "pt.range4=off", "docs/options.md");
    refused("pt.mtc=16", "pt.mtc=16", "0 to 15");
    refused("pt.cyc=on", "pt.cyc=on", "0 to 15");
    refused("pt.cr3=0x1010", "pt.cr3=0x1010", "multiple of 32");
    refused("pt.cr3=0", "pt.cr3=0", "multiple of 32");
    refused("pt.cr3=0x1000,", "pt.cr3=0x1000,", "or two");
    refused("pt.cr3=,0x1000", "pt.cr3=,0x1000", "or two");
    refused("pt.cr3=0x1000,0x1800", "pt.cr3=0x1000,0x1800", "or two");
    refused("pt.cr3=0x1000,0x2000,0x3000", "pt.cr3=0x1000,0x2000,0x3000", "or two");
    refused("pt.branch=no", "pt.branch=no", "on or off");
}

static void bad_words(void **state)
{
    (void)state;
    refused("frob=3", "frob=3", "docs/options.md");
    refused("pt=off verbose", "verbose", "docs/options.md");
    refused("PT=on", "PT=on", "docs/options.md");
    refused("=on", "=on", "docs/options.md");
    refused("pt", "pt", "on, off, cpu or soft");
    refused("pt=", "pt=", "on, off, cpu or soft");
    refused("pt=yes", "pt=yes", "on, off, cpu or soft");
    refused("pt.region=3K", "pt.region=3K", "power of two");
    refused("pt.region=2K", "pt.region=2K", "4K");
    refused("pt.region=256M", "pt.region=256M", "128M");
    refused("pt.region=K", "pt.region=K", "power of two");
    refused("pt.region=18446744073709551616", "pt.region=18446744073709551616", "power of two");
    refused("pt.regions=3", "pt.regions=3", "4 to 4096");
    refused("pt.regions=4097", "pt.regions=4097", "4 to 4096");
    refused("pt.regions=4x", "pt.regions=4x", "4 to 4096");
    refused("pt.regions=-4", "pt.regions=-4", "4 to 4096");
    refused("pt.psb=1K", "pt.psb=1K", "2K");
    assert_int_equal(parsed("pt.flush=60000").pt.flush_ms, 60000);
    assert_int_equal(parsed("pt.flush=1").pt.flush_ms, 1);
    assert_int_equal(parsed("pt.flush=off").pt.flush_ms, 0);
    refused("pt.flush=0", "pt.flush=0", "off or milliseconds, from 1 to 60000");
    refused("pt.flush=60001", "pt.flush=60001", "60000");
    refused("pt.flush=100ms", "pt.flush=100ms", "60000");
    refused("pt.switch=both", "pt.switch=both", "root");
    refused("policy=lose", "policy=lose", "stall, drop or ring");
    refused("channel=wifi", "channel=wifi", "uart");
    refused("uart.port=com5", "uart.port=com5", "com1");
    refused("uart.port=760", "uart.port=760", "0x2f8");
    refused("uart.port=0x0", "uart.port=0x0", "0x2f8");
    refused("uart.port=mem:", "uart.port=mem:", "mem:");
    refused("uart.port=mem:4096", "uart.port=mem:4096", "mem:");
    refused("uart.port=mem33:0x1000", "uart.port=mem33:0x1000", "mem:");
    refused("uart.port=03:00", "uart.port=03:00", "PCI");
    refused("uart.port=none", "uart.port=none", "com1");
    refused("uart.baud=7", "uart.baud", "divides");
    refused("uart.baud=0", "uart.baud=0", "divides");
    refused("uart.baud=230400", "uart.baud", "divides");
    refused("uart.base=4000001", "uart.base=4000001", "4000000");
    refused("console.baud=230400", "console.baud=230400", "115200");
    refused("net.port=0", "net.port=0", "65535");
    refused("net.port=65536", "net.port=65536", "65535");
    refused("net.mtu=575", "net.mtu=575", "576");
    refused("net.wait=3601", "net.wait=3601", "3600");
    refused("code=", "code=", "on or off");
}

static void bad_addresses(void **state)
{
    static const char *const lines[] = {"net.ip=",         "net.ip=1",         "net.ip=1.2.3",     "net.ip=1.2.3.",
                                        "net.ip=1.2.3.4.", "net.ip=1.2.3.4.5", "net.ip=256.2.3.4", "net.ip=1..3.4",
                                        "net.ip=.1.2.3",   "net.ip=1.2.3.4a",  "net.ip=0x1.2.3.4", "net.ip=010.2.3.4"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        refused(lines[i], lines[i], "IPv4");
}

static void uarts(void **state)
{
    (void)state;
    refused("channel=uart uart.port=com1", "channel=uart", "different UARTs");
    refused("console=com2 channel=uart", "channel=uart", "different UARTs");
    parsed("channel=uart uart.port=com1 console=none");
    assert_int_equal(parsed("uart.port=mem32:0xfe034000 uart.base=4000000 uart.baud=2000000").uart.kind,
                     UART_IN_MEMORY32);
    assert_int_equal(parsed("uart.port=mem:0xfe034000").uart.at, 0xfe034000);
    assert_int_equal(parsed("uart.port=03:00.1").uart.kind, UART_PCI);
    assert_int_equal(parsed("uart.port=03:00.1").uart.at, 0x301);
    assert_int_equal(parsed("console=spcr").console.kind, UART_SPCR);
    parsed("console=com2");
}

static void what_changes_while_the_guest_runs(void **state)
{
    struct options options;
    struct options_error error;
    (void)state;
    options_default(&options);
    assert_true(options_change(&options.pt, "  policy=ring pt.user=off", &error));
    assert_int_equal(options.pt.policy, PT_POLICY_RING);
    assert_false(options.pt.user);
    assert_true(options.pt.os);
    assert_true(options_change(&options.pt, "pt.range3=off pt.branches=5 pt.flush=20", &error));
    assert_int_equal(options.pt.branches, 5);
    assert_int_equal(options.pt.flush_ms, 20);
    static const char *const bad[] = {"",
                                      "  ",
                                      "pt.region=4K",
                                      "policy=drop pt.regions=5",
                                      "policy=lose",
                                      "x",
                                      "policy",
                                      "policy=drop net.ip=1.2.3.4"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(options_change(&options.pt, bad[i], &error));
        assert_int_equal(options.pt.policy, PT_POLICY_RING);
    }
}

static void a_trigger_needs_code_pages(void **state)
{
    (void)state;
    parsed("policy=ring pt.trigger=0xffffffff81000000");
    parsed("pt.trigger=off code=off");
    refused("pt.trigger=0x1000 code=off", "pt.trigger and pt.start", "code=on");
    refused("pt.start=0x1000 code=off", "pt.trigger and pt.start", "code=on");
    assert_true(parsed("pt.start=0x1000").pt.trigger_starts);
    assert_false(parsed("pt.start=0x1000 pt.trigger=0x2000").pt.trigger_starts);
    assert_false(parsed("pt.start=0x1000 pt.start=off").pt.trigger_starts);
    assert_int_equal(parsed("").start, START_AUTO);
    assert_int_equal(parsed("pt.start=now").start, START_NOW);
    assert_int_equal(parsed("pt.start=0x1000 pt.start=off").start, START_NOW);
    assert_int_equal(parsed("pt.start=0x1000").start, START_ADDRESS);
    assert_int_equal(parsed("pt.start=0x1000 pt.start=exitbootservices").start, START_EXIT_BOOT_SERVICES);
    assert_int_equal(parsed("pt.start=0x1000 pt.start=exitbootservices").pt.trigger, 0);
    refused("pt.start=exitbootservices code=off", "pt.trigger and pt.start", "code=on");
    refused("pt.start=never", "pt.start=never", "exitbootservices");
    refused("pt.trigger=0x8000000000000000", "pt.trigger=0x8000000000000000", "address");
}

/* A word longer than the error can hold is truncated. */
static void long_word(void **state)
{
    char line[300];
    struct options options;
    struct options_error error;
    (void)state;
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = 0;
    options_default(&options);
    assert_false(options_parse(&options, line, &error));
    assert_int_equal(strlen(error.word), sizeof error.word - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(vtd),
        cmocka_unit_test(tasks),
        cmocka_unit_test(first_numbers),
        cmocka_unit_test(each_option),
        cmocka_unit_test(bad_words),
        cmocka_unit_test(bad_addresses),
        cmocka_unit_test(long_word),
        cmocka_unit_test(uarts),
        cmocka_unit_test(keys),
        cmocka_unit_test(what_to_trace),
        cmocka_unit_test(cards),
        cmocka_unit_test(bad_mac_addresses),
        cmocka_unit_test(bad_choices),
        cmocka_unit_test(what_changes_while_the_guest_runs),
        cmocka_unit_test(a_trigger_needs_code_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
