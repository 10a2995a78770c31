#include "decode/serve/address.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#define IPV4_SIZE 4u

bool serve_address_parse(struct serve_address *address, const char *text)
{
    *address = (struct serve_address){0};
    if (!strcasecmp(text, "localhost"))
        text = "127.0.0.1";
    if (inet_pton(AF_INET, text, address->bytes) == 1)
        return true;
    address->is_ipv6 = true;
    return inet_pton(AF_INET6, text, address->bytes) == 1;
}

bool serve_address_is_loopback(const struct serve_address *address)
{
    static const uint8_t loopback[16] = {[15] = 1};
    return address->is_ipv6 ? !memcmp(address->bytes, loopback, sizeof(loopback)) : address->bytes[0] == 127;
}

static bool is_any(const struct serve_address *address)
{
    static const uint8_t any[16] = {0};
    return !memcmp(address->bytes, any, address->is_ipv6 ? sizeof(any) : IPV4_SIZE);
}

/* The name of a Host header without brackets. false: it is not one name and at most a port. */
static bool take_name(char name[INET6_ADDRSTRLEN], const char *host)
{
    const bool bracketed = host[0] == '[';
    const char *begin = host + bracketed, *end = begin + strcspn(begin, bracketed ? "]" : ":");
    const size_t size = (size_t)(end - begin);
    if (size == 0 || size >= INET6_ADDRSTRLEN || (bracketed && *end != ']'))
        return false;
    memcpy(name, begin, size);
    name[size] = '\0';
    end += bracketed;
    return *end == '\0' || (*end == ':' && strspn(end + 1, "0123456789") == strlen(end + 1));
}

bool serve_address_has_host(const struct serve_address *address, const char *host)
{
    struct serve_address named;
    char name[INET6_ADDRSTRLEN];
    if (!host || !take_name(name, host) || !serve_address_parse(&named, name) || named.is_ipv6 != (host[0] == '['))
        return false;
    return serve_address_is_loopback(&named) || is_any(address) ||
           (named.is_ipv6 == address->is_ipv6 && !memcmp(named.bytes, address->bytes, sizeof(named.bytes)));
}
