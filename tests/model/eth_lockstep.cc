/*
 * The emulated wire: a network module for Bochs that turns the guest's UDP datagrams into real ones, so that a run is
 * repeatable although the receiver is another process.
 *
 * Every datagram goes to one UDP socket of this host. One whose frame (serial/frame.h) asks for an acknowledgement
 * stops emulated time until the receiver has answered; the answer reaches the guest a fixed emulated time later. So
 * what the guest sees does not depend on how fast either process runs. Everything else a wire may do to datagrams is
 * done on purpose, by a seeded generator:
 *
 *   e1000: ..., ethmod=lockstep, ethdev="127.0.0.1:21845 latency=20 drop=1 duplicate=1 reorder=1 corrupt=1 seed=1"
 *
 *   latency     emulated microseconds from a request to its answer, default 20
 *   rate        of the wire, in millions of bits a second, default 1000; 0: infinite. An answer comes when the wire has
 *               carried everything before its request, and latency more
 *   drop        datagrams in a hundred that vanish, in both directions
 *   duplicate   datagrams in a hundred that arrive twice
 *   reorder     datagrams in a hundred that are overtaken by the next one
 *   corrupt     datagrams in a hundred of whose frame header one bit is inverted
 *   seed        of the generator
 *   at=MICROSECONDS:COMMAND[:TEXT]
 *               a command to the guest's hypervisor, so long after its first frame, as if its receiver had sent it; + in
 *               TEXT stands for a blank. COMMAND may begin with damaged-, foreign-, old- or again-: one inverted bit,
 *               another stream id, the number 0, the number of the one before. Commands are given in order of time
 *
 * Commands that the receiver itself sends are delivered too, but at times that are the host's.
 *
 * ethdev="none" is a cable that leads nowhere. ARP requests for any other address than the asker's are answered. IPv4
 * and UDP checksums are verified as a receiver's kernel would: a wrong one loses the datagram.
 */
#define BX_PLUGGABLE

#include "bochs.h"
#include "netmod.h"
#include "pc_system.h"
#include "plugin.h"

#if BX_NETWORKING

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <vector>

#include "serial/command.h"
#include "serial/frame.h"

#define LOG_THIS netdev->

PLUGIN_ENTRY_FOR_NET_MODULE(lockstep)
{
    return mode == PLUGIN_PROBE ? (int)PLUGTYPE_NET : 0;
}

namespace
{

typedef std::vector<Bit8u> Bytes;

const int FIRST_PATIENCE_MS = 20000; /* for a receiver that may still be starting */
const int PATIENCE_MS = 100;         /* for one that did not answer the last time */

enum { ETHERNET = 14, IPV4 = 20, UDP = 8, HEADERS = ETHERNET + IPV4 + UDP };
enum { ARP_BYTES = 28, ARP_REQUEST = 1, ARP_REPLY = 2 };
const Bit8u peer_mac[6] = {0x52, 0x55, 0x0a, 0x00, 0x02, 0x02};

struct Settings {
    unsigned latency = 20, rate = 1000;
    unsigned drop = 0, duplicate = 0, reorder = 0, corrupt = 0;
    unsigned seed = 1;
};

struct ScriptedCommand {
    Bit64u after; /* emulated microseconds from the first frame on */
    std::string name, text;
};

const Bit64u LISTEN_USEC = 10000; /* how often the receiver's own commands are looked for */

/* The 16-bit sum of RFC 1071, not inverted. */
Bit32u internet_sum(const Bit8u *bytes, size_t size, Bit32u sum)
{
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += get_net2(bytes + i);
    if (size % 2 != 0)
        sum += Bit32u(bytes[size - 1]) << 8;
    while (sum >> 16 != 0)
        sum = (sum >> 16) + (sum & 0xffff);
    return sum;
}

class Lockstep : public eth_pktmover_c
{
  public:
    Lockstep(const char *ethdev, eth_rx_handler_t handler, eth_rx_status_t status, logfunctions *device,
             const char *more);
    ~Lockstep() override;
    void sendpkt(void *bytes, unsigned size) override;

  private:
    struct Delivery {
        Bit64u due; /* emulated microseconds */
        Bytes packet;
    };

    void set_words(const char *words);
    void set_word(const char *word);
    void open_socket(const char *address, const char *port);

    void take_arp(const Bit8u *frame, size_t size);
    void take_ipv4(const Bit8u *frame, size_t size);
    void take_payload(const Bit8u *payload, size_t size);
    void transmit(const Bytes &payload, bool wait);
    void wait_for_answer();
    bool receive(Bytes &payload, int flags);
    void add_command(const char *word);
    void first_frame(const frame_header &header);
    void send_command(const ScriptedCommand &scripted);
    void run_commands();
    static void command_timer(void *self);
    void answer(const Bytes &payload);
    void occupy_wire(size_t frame_size);
    void deliver_later(const Bytes &packet);
    void deliver_due();
    static void timer(void *self);

    bool chance(unsigned per_cent);
    Bit32u random();

    int fd = -1;
    int patience = FIRST_PATIENCE_MS;
    Settings settings;
    Bit64u random_state = 0;
    Bit8u headers[HEADERS] = {}; /* of the guest's last datagram: an answer has them the other way round */
    Bytes overtaken;             /* a datagram that waits for the next one to pass it */
    bool overtaken_asks = false;
    std::deque<Delivery> deliveries; /* in order of time */
    Bit64u wire_free_ns = 0;         /* when the wire has carried all that was sent */
    int timer_index, command_timer_index;
    std::deque<ScriptedCommand> commands;
    Bit64u first_frame_at = 0; /* emulated microseconds; 0: there was none */
    Bit32u stream_id = 0, command_number = 0;
};

class LockstepLocator : public eth_locator_c
{
  public:
    LockstepLocator() : eth_locator_c("lockstep")
    {
    }

  protected:
    eth_pktmover_c *allocate(const char *ethdev, const char *, eth_rx_handler_t handler, eth_rx_status_t status,
                             logfunctions *device, const char *script) override
    {
        return new Lockstep(ethdev, handler, status, device, script);
    }
} locator;

Lockstep::Lockstep(const char *ethdev, eth_rx_handler_t handler, eth_rx_status_t status, logfunctions *device,
                   const char *more)
{
    netdev = device;
    rxh = handler;
    rxstat = status;
    set_words(ethdev);
    if (strcmp(more, "none") != 0)
        set_words(more);
    random_state = settings.seed;
    timer_index = DEV_register_timer(this, timer, 1, 0, 0, "lockstep");
    command_timer_index = DEV_register_timer(this, command_timer, 1, 0, 0, "lockstep.commands");
}

Lockstep::~Lockstep()
{
    if (fd >= 0)
        close(fd);
}

/* --- settings ------------------------------------------------------------------------------------------------------
 */

void Lockstep::set_words(const char *words)
{
    char *copy = strdup(words), *rest = copy;

    for (char *word; (word = strsep(&rest, " ,")) != NULL;) {
        if (word[0] != 0)
            set_word(word);
    }
    free(copy);
}

void Lockstep::set_word(const char *word)
{
    static const struct {
        const char *name;
        unsigned Settings::*field;
    } names[] = {{"latency=", &Settings::latency}, {"rate=", &Settings::rate},
                 {"drop=", &Settings::drop},       {"duplicate=", &Settings::duplicate},
                 {"reorder=", &Settings::reorder}, {"corrupt=", &Settings::corrupt},
                 {"seed=", &Settings::seed}};
    char address[64];
    char port[16];

    if (strcmp(word, "none") == 0)
        return;
    if (strncmp(word, "at=", 3) == 0) {
        add_command(word + 3);
        return;
    }
    for (const auto &name : names) {
        size_t length = strlen(name.name);
        if (strncmp(word, name.name, length) == 0) {
            char *end;
            settings.*name.field = strtoul(word + length, &end, 0);
            if (end == word + length || *end != 0)
                BX_PANIC(("lockstep: %s is not followed by a number", name.name));
            return;
        }
    }
    if (sscanf(word, "%63[0-9.]:%15[0-9]", address, port) != 2)
        BX_PANIC(("lockstep: \"%s\" is neither ADDRESS:PORT, none, nor a setting", word));
    open_socket(address, port);
}

void Lockstep::open_socket(const char *address, const char *port)
{
    sockaddr_in to = {};
    int room = 4 << 20;

    to.sin_family = AF_INET;
    to.sin_port = htons((Bit16u)atoi(port));
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 || connect(fd, (sockaddr *)&to, sizeof(to)) != 0)
        BX_PANIC(("lockstep: no UDP socket to %s:%s: %s", address, port, strerror(errno)));
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
}

/* --- the guest sends -----------------------------------------------------------------------------------------------
 */

void Lockstep::sendpkt(void *bytes, unsigned size)
{
    const Bit8u *frame = (const Bit8u *)bytes;

    if (fd < 0 || size < ETHERNET)
        return;
    occupy_wire(size);
    if (get_net2(frame + 12) == 0x0806)
        take_arp(frame, size);
    else if (get_net2(frame + 12) == 0x0800)
        take_ipv4(frame, size);
}

void Lockstep::take_arp(const Bit8u *frame, size_t size)
{
    const Bit8u *arp = frame + ETHERNET;

    if (size < ETHERNET + ARP_BYTES || get_net2(arp + 6) != ARP_REQUEST || memcmp(arp + 14, arp + 24, 4) == 0)
        return;
    Bytes reply(MIN_RX_PACKET_LEN);
    memcpy(&reply[0], frame + 6, 6);
    memcpy(&reply[6], peer_mac, 6);
    memcpy(&reply[12], frame + 12, 2 + 6); /* type, and ARP's address types and sizes */
    put_net2(&reply[ETHERNET + 6], ARP_REPLY);
    memcpy(&reply[ETHERNET + 8], peer_mac, 6);
    memcpy(&reply[ETHERNET + 14], arp + 24, 4);
    memcpy(&reply[ETHERNET + 18], arp + 8, 6 + 4);
    deliver_later(reply);
}

void Lockstep::take_ipv4(const Bit8u *frame, size_t size)
{
    const Bit8u *ip = frame + ETHERNET, *udp = ip + IPV4;

    if (size < HEADERS || ip[0] != 0x45 || ip[9] != 17 || (get_net2(ip + 6) & 0x3fff) != 0)
        return;
    size_t total = get_net2(ip + 2), udp_size = get_net2(udp + 4);
    if (total > size - ETHERNET || udp_size < UDP || udp_size > total - IPV4) {
        BX_ERROR(("lockstep: a datagram's lengths do not fit: frame %u, IPv4 %u, UDP %u", (unsigned)size,
                  (unsigned)total, (unsigned)udp_size));
        return;
    }
    if (internet_sum(ip, IPV4, 0) != 0xffff) {
        BX_ERROR(("lockstep: a datagram's IPv4 header checksum is wrong"));
        return;
    }
    if (get_net2(udp + 6) != 0 && internet_sum(udp, udp_size, internet_sum(ip + 12, 8, 17 + udp_size)) != 0xffff) {
        BX_ERROR(("lockstep: a datagram's UDP checksum is wrong"));
        return;
    }
    memcpy(headers, frame, HEADERS);
    take_payload(udp + UDP, udp_size - UDP);
}

/* The generator is asked in the same order for every datagram, so that settings do not disturb one another. */
void Lockstep::take_payload(const Bit8u *bytes, size_t size)
{
    Bytes payload(bytes, bytes + size);
    frame_header header = {};
    bool drop = chance(settings.drop), duplicate = chance(settings.duplicate);
    bool reorder = chance(settings.reorder), corrupt = chance(settings.corrupt);
    Bit32u bit = random() % (8 * FRAME_HEADER_SIZE);

    memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
    bool asks = header.magic == FRAME_MAGIC && (header.flags & FRAME_ACK_REQUEST) != 0;
    if (header.magic == FRAME_MAGIC && first_frame_at == 0)
        first_frame(header);
    if (drop)
        return;
    if (corrupt && size >= FRAME_HEADER_SIZE) {
        payload[bit / 8] ^= 1 << bit % 8;
        asks = false;
    }
    if (reorder && overtaken.empty()) {
        overtaken.swap(payload);
        overtaken_asks = asks;
        return;
    }
    transmit(payload, asks);
    if (duplicate)
        transmit(payload, asks);
    if (!overtaken.empty()) {
        payload.swap(overtaken);
        overtaken.clear();
        transmit(payload, overtaken_asks);
    }
}

void Lockstep::transmit(const Bytes &payload, bool wait)
{
    Bit8u stale;

    /* An answer that came too late is nobody's now. */
    while (patience == PATIENCE_MS && recv(fd, &stale, 1, MSG_DONTWAIT) >= 0)
        ;
    while (send(fd, payload.data(), payload.size(), 0) < 0) {
        if (errno == ENOBUFS)
            usleep(100);
        else if (errno != EINTR && errno != ECONNREFUSED) /* refused: said of the datagram before this one */
            break;
    }
    if (wait)
        wait_for_answer();
}

void Lockstep::wait_for_answer()
{
    pollfd one = {fd, POLLIN, 0};
    Bytes payload;

    for (;;) {
        if (poll(&one, 1, patience) <= 0 || !receive(payload, 0)) {
            BX_ERROR(("lockstep: the receiver does not answer"));
            patience = PATIENCE_MS;
            return;
        }
        if (payload.size() < FRAME_HEADER_SIZE || payload[offsetof(frame_header, kind)] != FRAME_COMMAND)
            break;
        answer(payload);
    }
    patience = FIRST_PATIENCE_MS;
    if (!chance(settings.drop))
        answer(payload);
}

bool Lockstep::receive(Bytes &payload, int flags)
{
    payload.resize(65536);
    ssize_t size = recv(fd, payload.data(), payload.size(), flags);
    payload.resize(size < 0 ? 0 : size);
    return size >= 0;
}

/* --- commands ------------------------------------------------------------------------------------------------------
 */

void Lockstep::add_command(const char *word)
{
    char *rest;
    ScriptedCommand scripted;

    scripted.after = strtoull(word, &rest, 0);
    if (*rest != ':')
        BX_PANIC(("lockstep: at=%s is not MICROSECONDS:COMMAND", word));
    scripted.name = rest + 1;
    size_t colon = scripted.name.find(':');
    if (colon != std::string::npos) {
        scripted.text = scripted.name.substr(colon + 1);
        scripted.name.resize(colon);
    }
    for (char &c : scripted.text)
        c = c == '+' ? ' ' : c;
    commands.push_back(scripted);
}

void Lockstep::first_frame(const frame_header &header)
{
    first_frame_at = bx_pc_system.time_usec();
    stream_id = header.stream_id;
    run_commands();
}

void Lockstep::send_command(const ScriptedCommand &scripted)
{
    size_t dash = scripted.name.find('-');
    std::string how = dash == std::string::npos ? "" : scripted.name.substr(0, dash);
    std::string name = scripted.name.substr(dash == std::string::npos ? 0 : dash + 1);
    struct command command = {};

    command.opcode = command_opcode_of(name.c_str());
    if (how != "again")
        command_number++;
    command.number = how == "old" ? 0 : command_number;
    snprintf(command.text, sizeof(command.text), "%s", scripted.text.c_str());
    Bytes frame(COMMAND_FRAME_MAX);
    size_t size = command_build(frame.data(), how == "foreign" ? ~stream_id : stream_id, &command);
    if (command.opcode == 0 || size == 0)
        BX_PANIC(("lockstep: there is no command %s", scripted.name.c_str()));
    frame.resize(size);
    if (how == "damaged")
        frame[FRAME_HEADER_SIZE + 4] ^= 1;
    answer(frame);
}

void Lockstep::run_commands()
{
    Bit64u now = bx_pc_system.time_usec(), next = LISTEN_USEC;
    Bytes payload;

    while (!commands.empty() && first_frame_at + commands.front().after <= now) {
        send_command(commands.front());
        commands.pop_front();
    }
    while (receive(payload, MSG_DONTWAIT)) {
        if (payload.size() >= FRAME_HEADER_SIZE && payload[offsetof(frame_header, kind)] == FRAME_COMMAND)
            answer(payload);
    }
    if (!commands.empty() && first_frame_at + commands.front().after - now < next)
        next = first_frame_at + commands.front().after - now;
    bx_pc_system.activate_timer(command_timer_index, (Bit32u)next, 0);
}

void Lockstep::command_timer(void *self)
{
    ((Lockstep *)self)->run_commands();
}

/* --- the guest receives --------------------------------------------------------------------------------------------
 */

void Lockstep::answer(const Bytes &payload)
{
    Bytes packet(headers, headers + HEADERS);
    Bit8u *ip = &packet[ETHERNET], *udp = ip + IPV4;

    memcpy(&packet[0], headers + 6, 6);
    memcpy(&packet[6], headers, 6);
    memcpy(ip + 12, headers + ETHERNET + 16, 4);
    memcpy(ip + 16, headers + ETHERNET + 12, 4);
    memcpy(udp, headers + ETHERNET + IPV4 + 2, 2);
    memcpy(udp + 2, headers + ETHERNET + IPV4, 2);
    put_net2(ip + 2, IPV4 + UDP + payload.size());
    put_net2(ip + 10, 0);
    put_net2(ip + 10, ~internet_sum(ip, IPV4, 0));
    put_net2(udp + 4, UDP + payload.size());
    put_net2(udp + 6, 0);
    packet.insert(packet.end(), payload.begin(), payload.end());
    ip = &packet[ETHERNET];
    udp = ip + IPV4;
    Bit16u sum = ~internet_sum(udp, UDP + payload.size(), internet_sum(ip + 12, 8, 17 + UDP + payload.size()));
    put_net2(udp + 6, sum == 0 ? 0xffff : sum);
    if (packet.size() < MIN_RX_PACKET_LEN)
        packet.resize(MIN_RX_PACKET_LEN);
    deliver_later(packet);
}

/* With preamble, FCS and the gap between frames: 24 bytes. */
void Lockstep::occupy_wire(size_t frame_size)
{
    Bit64u now_ns = bx_pc_system.time_usec() * 1000;

    if (wire_free_ns < now_ns)
        wire_free_ns = now_ns;
    if (settings.rate != 0)
        wire_free_ns += (frame_size + 24) * 8000 / settings.rate;
}

void Lockstep::deliver_later(const Bytes &packet)
{
    Bit64u now = bx_pc_system.time_usec(), due = wire_free_ns / 1000 + settings.latency;

    if (due <= now)
        due = now + 1;
    deliveries.push_back({due, packet});
    if (deliveries.size() == 1)
        bx_pc_system.activate_timer(timer_index, (Bit32u)(due - now), 0);
}

void Lockstep::deliver_due()
{
    Bit64u now = bx_pc_system.time_usec();

    while (!deliveries.empty() && deliveries.front().due <= now) {
        Bytes packet;
        packet.swap(deliveries.front().packet);
        deliveries.pop_front();
        if ((rxstat(netdev) & BX_NETDEV_RXREADY) != 0)
            rxh(netdev, packet.data(), packet.size());
    }
    if (!deliveries.empty())
        bx_pc_system.activate_timer(timer_index, (Bit32u)(deliveries.front().due - now), 0);
}

void Lockstep::timer(void *self)
{
    ((Lockstep *)self)->deliver_due();
}

/* --- chance --------------------------------------------------------------------------------------------------------
 */

Bit32u Lockstep::random()
{
    random_state = random_state * BX_CONST64(6364136223846793005) + BX_CONST64(1442695040888963407);
    return (Bit32u)(random_state >> 33);
}

bool Lockstep::chance(unsigned per_cent)
{
    return random() % 100 < per_cent;
}

} // namespace

#endif
