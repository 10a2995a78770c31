/*
 * The emulated wire, internal header: a Bochs module for one network card, in five files. eth_lockstep.cc says what it
 * is for.
 */
#ifndef ETH_LOCKSTEP_H
#define ETH_LOCKSTEP_H

#define BX_PLUGGABLE

#include "bochs.h"
#include "netmod.h"
#include "pc_system.h"

#include <deque>
#include <string>
#include <vector>

#include "serial/wire/command.h"
#include "serial/wire/frame.h"

#define LOG_THIS netdev->

typedef std::vector<Bit8u> Bytes;

enum { ETHERNET = 14, IPV4 = 20, UDP = 8, HEADERS = ETHERNET + IPV4 + UDP };

struct LockstepSettings {
    unsigned latency = 20, rate = 1000;
    unsigned drop = 0, duplicate = 0, reorder = 0, corrupt = 0;
    unsigned seed = 1;
    Bit64u dead_from = ~BX_CONST64(0), dead_to = 0; /* microseconds since the first frame */
};

struct LockstepDhcp {
    unsigned seconds = 0; /* of a lease; 0: there is no server */
    int answers = 1 << 30;
    /* After so many answers: it refuses, or is silent; or it is gone, and another server answers broadcasts. */
    bool refuses = false, moves = false;
    bool moved = false;
};

struct LockstepScriptedCommand {
    Bit64u after; /* emulated microseconds from the first frame on */
    std::string name, text;
};

struct LockstepDelivery {
    Bit64u due; /* emulated microseconds */
    Bytes packet;
};

/* The 16-bit sum of RFC 1071, not inverted; sum is that of the preceding bytes. */
Bit32u internet_sum(const Bit8u *bytes, size_t size, Bit32u sum);

class Lockstep : public eth_pktmover_c
{
  public:
    Lockstep(const char *ethdev, eth_rx_handler_t handler, eth_rx_status_t status, logfunctions *device,
             const char *more);
    ~Lockstep() override;
    void sendpkt(void *bytes, unsigned size) override;

  private:
    /* Settings and chance: eth_lockstep.cc. */
    void set_words(const char *words);
    void set_word(const char *word);
    void set_dhcp(const char *text);
    void open_socket(const char *address, const char *port);
    bool chance(unsigned per_cent);
    Bit32u random();

    /* The guest sends: eth_lockstep_send.cc. */
    void take_arp(const Bit8u *frame, size_t size);
    void take_ipv4(const Bit8u *frame, size_t size);
    bool is_dead() const;
    void take_payload(const Bit8u *payload, size_t size);
    void transmit(const Bytes &payload, bool wait);
    void wait_for_answer();
    bool receive(Bytes &payload, int flags);

    /* DHCP: eth_lockstep_dhcp.cc. */
    bool is_dhcp(const Bit8u *frame, size_t udp_size) const;
    void take_dhcp(const Bit8u *frame, size_t udp_size);
    void answer_dhcp(const Bit8u *frame, Bit8u type);

    /* Commands: eth_lockstep_commands.cc. */
    void add_command(const char *word);
    void first_frame(const frame_header &header);
    void send_command(const LockstepScriptedCommand &scripted);
    void run_commands();
    static void command_timer(void *self);

    /* The guest receives: eth_lockstep_receive.cc. */
    void answer(const Bytes &payload);
    void occupy_wire(size_t frame_size);
    void deliver_later(const Bytes &packet);
    void deliver_due();
    static void timer(void *self);

    int fd = -1;
    static const int FIRST_PATIENCE_MS = 20000; /* for a receiver that may still be starting */
    static const int PATIENCE_MS = 100;         /* for one that did not answer the last time */
    int patience = FIRST_PATIENCE_MS;
    LockstepSettings settings;
    LockstepDhcp dhcp;
    Bit64u random_state = 0;
    Bit8u headers[HEADERS] = {}; /* of the guest's last datagram: an answer has them the other way round */
    Bytes overtaken;             /* a datagram that waits for the next one to pass it */
    bool overtaken_asks = false;
    std::deque<LockstepDelivery> deliveries; /* in order of time */
    Bit64u frames_sent = 0, bytes_sent = 0;
    Bit64u wire_free_ns = 0; /* when the wire has carried all that was sent */
    int timer_index, command_timer_index;
    std::deque<LockstepScriptedCommand> commands;
    Bit64u first_frame_at = 0; /* emulated microseconds; 0: there was none */
    Bit32u stream_id = 0, command_number = 0;
};

#endif
