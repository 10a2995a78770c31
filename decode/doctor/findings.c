#include "decode/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>

void finding_add(struct findings *findings, const char *topic, enum finding_state state, const char *format, ...)
{
    va_list args;
    if (findings->count == FINDINGS_MAX)
        return;
    struct finding *finding = &findings->items[findings->count++];
    *finding = (struct finding){.topic = topic, .state = state};
    va_start(args, format);
    vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
}

void finding_remedy(struct findings *findings, const char *format, ...)
{
    va_list args;
    struct finding *finding = &findings->items[findings->count - 1];
    va_start(args, format);
    vsnprintf(finding->remedy, sizeof(finding->remedy), format, args);
    va_end(args);
}

enum finding_state findings_worst(const struct findings *findings)
{
    enum finding_state worst = FINDING_GOOD;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].state > worst)
            worst = findings->items[i].state;
    return worst;
}
