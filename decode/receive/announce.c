#include "decode/receive/announce.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serial/wire/auth.h"

bool announce_parse(struct sockaddr_in *to, const char *text, uint16_t port)
{
    char address[INET_ADDRSTRLEN];
    const char *colon = strchr(text, ':');
    const size_t size = colon ? (size_t)(colon - text) : strlen(text);
    unsigned long number = port;
    char *end = "";
    if (size >= sizeof(address))
        return false;
    memcpy(address, text, size);
    address[size] = 0;
    if (colon)
        number = strtoul(colon + 1, &end, 10);
    *to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
    return inet_pton(AF_INET, address, &to->sin_addr) == 1 && number >= 1 && number <= 65535 && *end == 0 &&
           (!colon || (colon[1] >= '0' && colon[1] <= '9'));
}

static void send_to(int fd, const struct sockaddr_in *to, const struct siphash_key *key)
{
    struct {
        struct frame_header header;
        uint8_t room[FRAME_TAG_SIZE];
    } frame = {.header = {.kind = FRAME_ANNOUNCE}};
    size_t size = sizeof(frame.header);
    frame_seal(&frame.header, NULL);
    if (key)
        size = auth_seal((uint8_t *)&frame, key, 0);
    (void)!sendto(fd, &frame, size, MSG_DONTWAIT, (const struct sockaddr *)to, sizeof(*to));
}

void announce_send(int fd, uint16_t port, const struct sockaddr_in *to, const struct siphash_key *key)
{
    struct ifaddrs *all = NULL;
    const int on = 1;
    if (to) {
        send_to(fd, to, key);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        if (!one->ifa_broadaddr || one->ifa_broadaddr->sa_family != AF_INET || !(one->ifa_flags & IFF_BROADCAST) ||
            !(one->ifa_flags & IFF_UP))
            continue;
        struct sockaddr_in broadcast;
        memcpy(&broadcast, one->ifa_broadaddr, sizeof(broadcast));
        broadcast.sin_port = htons(port);
        send_to(fd, &broadcast, key);
    }
    freeifaddrs(all);
}
