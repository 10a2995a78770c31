/* DMA remapping (VT-d) during the boot: what has been found and done. Core. */
#ifndef BOOT_VTD_VTD_STATE_H
#define BOOT_VTD_VTD_STATE_H

#include <stdbool.h>

enum vtd_outcome {
    VTD_NOT_TRIED,
    VTD_FAILED,   /* tried, and switched off again */
    VTD_WORKS,    /* the self-test has tried it; a boot with the same options leaves it off */
    VTD_PROTECTS, /* on, as in a boot with the same options */
};

struct vtd_state {
    enum vtd_outcome outcome;
    bool active;           /* the units use our tables */
    const char *why_off;   /* why they do not; NULL while nothing speaks against it */
    char why_off_text[96]; /* storage for a formatted why_off */
    unsigned nr_stuck;     /* units that stay on although they were switched off */
};

#endif
