/* Judges the facts of a machine: can it be booted under the hypervisor? And what is to be done next. Pure. */
#ifndef DECODE_DOCTOR_JUDGE_H
#define DECODE_DOCTOR_JUDGE_H

#include "decode/doctor/facts.h"
#include "decode/doctor/findings.h"

void findings_judge(struct findings *findings, const struct facts *facts);

#endif
