/* What has become of VT-d, for the self-test's findings. Core. */
#ifndef BOOT_VTD_VTD_FOUND_H
#define BOOT_VTD_VTD_FOUND_H

enum vtd_found {
    VTD_NOT_TRIED,
    VTD_FAILS,    /* tried, and off again */
    VTD_WORKS,    /* tried by the self-test alone: a boot with these options leaves it off */
    VTD_PROTECTS, /* on, in a boot with these options too */
};

#endif
