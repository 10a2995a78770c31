/* The findings about a machine that is to be booted under the hypervisor, and the commands to run next. */
#ifndef DECODE_DOCTOR_FINDINGS_H
#define DECODE_DOCTOR_FINDINGS_H

#include <stddef.h>

/* From best to worst. */
enum finding_state {
    FINDING_GOOD,   /* as required */
    FINDING_NOTE,   /* works, with a remark */
    FINDING_SLOW,   /* only single steps work */
    FINDING_UNSEEN, /* could not be examined */
    FINDING_BAD,    /* does not work */
    FINDING_NR_STATES
};

struct finding {
    const char *topic; /* stable: "vmx" */
    enum finding_state state;
    char text[256];
    char remedy[256]; /* "": none */
};

#define FINDINGS_MAX 96u
#define FINDINGS_MAX_NEXT 8u
struct findings {
    struct finding items[FINDINGS_MAX];
    size_t count;
    char next[FINDINGS_MAX_NEXT][256]; /* commands to run next, as root, in this order */
    size_t nr_next;
};

/* Add a finding. If there is a remedy, call finding_remedy next. */
void finding_add(struct findings *findings, const char *topic, enum finding_state state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void finding_remedy(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The worst state of all findings. */
enum finding_state findings_worst(const struct findings *findings);

#endif
