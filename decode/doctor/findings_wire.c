/* How the trace can be sent. */
#include "decode/doctor/judge_parts.h"
#include "serial/nic/nic.h"

/* NULL: the hypervisor has no driver for the card. */
static const char *card_name(const struct facts_card *card)
{
    const struct nic_card *known;
    return nic_driver_of(card->id, card->revision, &known) ? known->name : NULL;
}

/* The hypervisor uses the first supported card with a link, else the first supported one. */
static const struct facts_card *card_taken(const struct facts *facts)
{
    const struct facts_card *first = NULL;
    for (size_t i = 0; i < facts->nr_cards; i++) {
        const struct facts_card *card = &facts->cards[i];
        if (!card_name(card))
            continue;
        if (card->link == ANSWER_YES)
            return card;
        if (!first)
            first = card;
    }
    return first;
}

static void judge_taken(struct findings *findings, const struct facts_card *card)
{
    finding_add(findings, "card", FINDING_GOOD, "%s at %s%s%s", card_name(card), card->slot,
                card->interface[0] ? ", " : "", card->interface);
    if (card->link == ANSWER_YES) {
        finding_add(findings, "link", FINDING_GOOD, "up");
    } else if (card->link == ANSWER_NO) {
        finding_add(findings, "link", FINDING_NOTE, "%s has no link", card->interface);
        finding_remedy(findings, "plug in the cable to the receiving machine");
    } else {
        finding_add(findings, "link", FINDING_NOTE, "not known: %s",
                    card->interface[0] ? "the interface is down" : "no driver is bound to the card");
        if (card->interface[0])
            finding_remedy(findings, "ip link set %s up", card->interface);
    }
    if (card->carries_default_route) {
        finding_add(findings, "card", FINDING_NOTE,
                    "this machine's own network uses %s, which the guest will not see under the hypervisor",
                    card->interface);
        finding_remedy(findings,
                       "net.card= or net.mac= names another card; or do without a network in the traced system");
    }
}

void findings_judge_wire(struct findings *findings, const struct facts *facts)
{
    const struct facts_card *taken = card_taken(facts);
    if (taken)
        judge_taken(findings, taken);
    for (size_t i = 0; i < facts->nr_cards && !taken; i++)
        finding_add(findings, "card", FINDING_NOTE, "the hypervisor has no driver for %04x:%04x at %s",
                    facts->cards[i].id & 0xffff, facts->cards[i].id >> 16, facts->cards[i].slot);
    if (!taken && !facts->nr_uarts) {
        finding_add(findings, "wire", FINDING_BAD,
                    "neither a supported network card nor a serial port: the trace cannot be sent");
        finding_remedy(findings, "put in one of the cards that docs/hardware.md lists");
    } else if (!taken) {
        finding_add(findings, "wire", FINDING_NOTE, "only serial lines: a boot takes hundreds of times longer");
        finding_remedy(
            findings,
            "put in one of the cards that docs/hardware.md lists; or channel=uart uart.port=com1 console=none");
    }
    if (facts->nr_uarts)
        finding_add(findings, "console", FINDING_GOOD, "%s: the hypervisor's messages are there (console=com%c)",
                    facts->uarts[0], facts->uarts[0][4] + 1);
    else
        finding_add(findings, "console", FINDING_NOTE,
                    "no serial port: the hypervisor's messages are only on the screen");
}
