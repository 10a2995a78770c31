/*
 * The emulated wire: a network module for Bochs that turns the guest's UDP datagrams into real ones, so that a run is
 * repeatable although the receiver is another process.
 *
 * Every datagram goes to one UDP socket of this host. One whose frame (serial/wire/frame.h) asks for an acknowledgement
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
 *   corrupt     datagrams in a hundred of which one bit is inverted, with a right UDP checksum
 *   seed        of the generator
 *   dead=FROM-TO   emulated microseconds since the guest's first frame between which all vanishes; no TO: for ever
 *   dhcp=SECONDS[:ANSWERS[:nak|:move]]
 *               a DHCP server that gives leases of so many seconds, and answers so many requests, offers not counted;
 *               the others it does not answer, or refuses, or another server answers those to all
 *   at=MICROSECONDS:COMMAND[:TEXT]
 *               a command to the guest's hypervisor, so long after its first frame, as if its receiver had sent it;
 *               + in TEXT means a blank. COMMAND may begin with damaged-, foreign-, old- or again-: one inverted
 *               bit, another stream id, the number 0, the number of the one before. In order of time
 *
 * Commands that the receiver itself sends are delivered too, but at times that are the host's.
 *
 * ethdev="none" is a cable that leads nowhere. ARP requests for any other address than the asker's are answered. IPv4
 * and UDP checksums are verified as a receiver's kernel would: a wrong one loses the datagram.
 */
#include "eth_lockstep.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin.h"

PLUGIN_ENTRY_FOR_NET_MODULE(lockstep)
{
    return mode == PLUGIN_PROBE ? (int)PLUGTYPE_NET : 0;
}

namespace
{

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

} // namespace

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
    if (frames_sent != 0)
        fprintf(stderr, "lockstep: the guest sent %llu frames, %llu bytes of the wire\n",
                (unsigned long long)frames_sent, (unsigned long long)bytes_sent);
    if (fd >= 0)
        close(fd);
}

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
        unsigned LockstepSettings::*field;
    } names[] = {{"latency=", &LockstepSettings::latency}, {"rate=", &LockstepSettings::rate},
                 {"drop=", &LockstepSettings::drop},       {"duplicate=", &LockstepSettings::duplicate},
                 {"reorder=", &LockstepSettings::reorder}, {"corrupt=", &LockstepSettings::corrupt},
                 {"seed=", &LockstepSettings::seed}};
    char address[64];
    char port[16];

    if (strcmp(word, "none") == 0)
        return;
    if (strncmp(word, "dead=", 5) == 0) {
        char *end;
        settings.dead_from = strtoull(word + 5, &end, 0);
        settings.dead_to = *end == '-' && end[1] != 0 ? strtoull(end + 1, &end, 0) : ~BX_CONST64(0);
        return;
    }
    if (strncmp(word, "dhcp=", 5) == 0) {
        set_dhcp(word + 5);
        return;
    }
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

void Lockstep::set_dhcp(const char *text)
{
    char *rest;

    dhcp.seconds = strtoul(text, &rest, 0);
    if (*rest == ':')
        dhcp.answers = strtoul(rest + 1, &rest, 0);
    dhcp.refuses = strcmp(rest, ":nak") == 0;
    dhcp.moves = strcmp(rest, ":move") == 0;
    if (dhcp.seconds == 0 || (*rest != 0 && !dhcp.refuses && !dhcp.moves))
        BX_PANIC(("lockstep: dhcp=%s is not SECONDS[:ANSWERS[:nak|:move]]", text));
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

Bit32u Lockstep::random()
{
    random_state = random_state * BX_CONST64(6364136223846793005) + BX_CONST64(1442695040888963407);
    return (Bit32u)(random_state >> 33);
}

bool Lockstep::chance(unsigned per_cent)
{
    return random() % 100 < per_cent;
}
