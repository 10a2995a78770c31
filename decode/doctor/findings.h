/* What speaks for and against booting a machine under the hypervisor: a list of sentences, made of facts alone. Pure.
 */
#ifndef DECODE_DOCTOR_FINDINGS_H
#define DECODE_DOCTOR_FINDINGS_H

#include <stddef.h>

#include "decode/doctor/facts.h"

/* From the best to the worst. */
enum finding_state {
    FINDING_GOOD,   /* as it should be */
    FINDING_NOTE,   /* it goes, but this should be known */
    FINDING_SLOW,   /* single steps alone */
    FINDING_UNSEEN, /* could not be looked at */
    FINDING_BAD,    /* it does not go */
    FINDING_NR_STATES
};

struct finding {
    const char *topic; /* stable: "vmx" */
    enum finding_state state;
    char text[256];
    char remedy[256]; /* "": there is nothing to do */
};

#define FINDINGS_MAX 96u
struct findings {
    struct finding items[FINDINGS_MAX];
    size_t count;
};

void findings_judge(struct findings *findings, const struct facts *facts);

/* The worst state among them. */
enum finding_state findings_worst(const struct findings *findings);

/* The parts of findings_judge. */
void findings_judge_cpu(struct findings *findings, const struct facts *facts);
void findings_judge_wire(struct findings *findings, const struct facts *facts);
void findings_judge_system(struct findings *findings, const struct facts *facts);

/* Add one; its text is to be followed by finding_remedy, where there is one. */
void finding_add(struct findings *findings, const char *topic, enum finding_state state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void finding_remedy(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
