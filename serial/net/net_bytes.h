/* Reading and writing numbers in network byte order. */
#ifndef SERIAL_NET_NET_BYTES_H
#define SERIAL_NET_NET_BYTES_H

#include <stdint.h>

static inline void net_put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void net_put32(uint8_t *at, uint32_t value)
{
    net_put16(at, value >> 16);
    net_put16(at + 2, value);
}

static inline uint32_t net_get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t net_get32(const uint8_t *at)
{
    return net_get16(at) << 16 | net_get16(at + 2);
}

#endif
