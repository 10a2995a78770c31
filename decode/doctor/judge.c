#include "decode/doctor/judge.h"

#include "decode/doctor/judge_parts.h"

void findings_judge(struct findings *findings, const struct facts *facts)
{
    findings->count = 0;
    findings_judge_cpu(findings, facts);
    findings_judge_wire(findings, facts);
    findings_judge_system(findings, facts);
    findings_judge_boot(findings, facts);
    findings_next(findings, facts);
}
