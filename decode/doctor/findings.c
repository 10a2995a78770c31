#include "decode/doctor/findings.h"

void findings_judge(struct findings *findings, const struct facts *facts)
{
    findings->count = 0;
    findings_judge_cpu(findings, facts);
    findings_judge_wire(findings, facts);
    findings_judge_system(findings, facts);
    findings_judge_boot(findings, facts);
    findings_next(findings, facts);
}

enum finding_state findings_worst(const struct findings *findings)
{
    enum finding_state worst = FINDING_GOOD;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].state > worst)
            worst = findings->items[i].state;
    return worst;
}
