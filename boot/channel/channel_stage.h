/* How far the channel came, or where it ended. */
#ifndef BOOT_CHANNEL_CHANNEL_STAGE_H
#define BOOT_CHANNEL_CHANNEL_STAGE_H

enum channel_stage {
    CHANNEL_NOT_WANTED, /* channel=none */
    CHANNEL_NO_CARD,    /* none that we drive */
    CHANNEL_NO_START,   /* the card or the UART does not do what it should, or not what an option asks for */
    CHANNEL_NO_LINK,
    CHANNEL_NO_PEER, /* nobody answers to ARP at the receiver's address */
    CHANNEL_UNHEARD, /* the first record was not acknowledged */
    CHANNEL_OPEN
};

#endif
