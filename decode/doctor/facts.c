#include "decode/doctor/facts.h"

#include "decode/doctor/facts_parts.h"

void facts_read(struct facts *facts, const char *root)
{
    *facts = (struct facts){0};
    facts_read_cpu(&facts->cpu, root);
    facts_read_wire(facts, root);
    facts_read_system(facts, root);
}
