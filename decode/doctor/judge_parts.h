/* The parts of findings_judge. Each adds its own findings; findings_next, the last one, the commands after all of them.
 */
#ifndef DECODE_DOCTOR_JUDGE_PARTS_H
#define DECODE_DOCTOR_JUDGE_PARTS_H

#include "decode/doctor/facts.h"
#include "decode/doctor/findings.h"

void findings_judge_cpu(struct findings *findings, const struct facts *facts);
void findings_judge_wire(struct findings *findings, const struct facts *facts);
void findings_judge_system(struct findings *findings, const struct facts *facts);
void findings_judge_boot(struct findings *findings, const struct facts *facts);
void findings_next(struct findings *findings, const struct facts *facts);

#endif
