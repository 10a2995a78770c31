/* How far opening the channel got. */
#ifndef BOOT_CHANNEL_CHANNEL_STAGE_H
#define BOOT_CHANNEL_CHANNEL_STAGE_H

enum channel_stage {
    CHANNEL_DISABLED, /* channel=none */
    CHANNEL_NO_CARD,  /* no supported card */
    CHANNEL_NO_START, /* the card or the UART failed, or does not support an option's value */
    CHANNEL_NO_LINK,
    CHANNEL_NO_PEER, /* no ARP reply from the receiver's address */
    CHANNEL_NO_ACK,  /* the first record was not acknowledged */
    CHANNEL_OPEN
};

#endif
