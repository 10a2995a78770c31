/* Network cards, supported or not, and serial ports. */
#include <stdio.h>
#include <string.h>

#include "decode/doctor/facts_parts.h"
#include "decode/doctor/tree.h"

#define DEVICES "/sys/bus/pci/devices/"
#define CLASS_NETWORK 0x02u
#define MAX_FUNCTIONS 512u

/* The interface of the default route; "": there is none. */
static void default_route(char *interface, size_t size, const char *root)
{
    char line[256], name[16];
    unsigned destination;
    FILE *file = tree_open(root, "/proc/net/route");
    interface[0] = 0;
    while (file && !interface[0] && fgets(line, sizeof(line), file))
        if (sscanf(line, "%15s %8x", name, &destination) == 2 && destination == 0)
            snprintf(interface, size, "%s", name);
    if (file)
        fclose(file);
}

static bool read_card(struct facts_card *card, const char *root, const char *slot)
{
    char path[192], names[1][TREE_NAME_MAX], text[8];
    uint64_t class, vendor, device, revision = 0;
    snprintf(path, sizeof(path), DEVICES "%s/class", slot);
    if (!tree_number(&class, root, path) || class >> 16 != CLASS_NETWORK)
        return false;
    snprintf(path, sizeof(path), DEVICES "%s/vendor", slot);
    if (!tree_number(&vendor, root, path))
        return false;
    snprintf(path, sizeof(path), DEVICES "%s/device", slot);
    if (!tree_number(&device, root, path))
        return false;
    snprintf(path, sizeof(path), DEVICES "%s/revision", slot);
    tree_number(&revision, root, path);
    *card = (struct facts_card){.id = (uint32_t)(device << 16 | vendor), .revision = (uint8_t)revision};
    snprintf(card->slot, sizeof(card->slot), "%.15s", slot);
    snprintf(path, sizeof(path), DEVICES "%s/net", slot);
    if (!tree_names(names, 1, root, path, ""))
        return true;
    snprintf(card->interface, sizeof(card->interface), "%.15s", names[0]);
    /* Linux does not know the link's state while the interface is down. */
    snprintf(path, sizeof(path), DEVICES "%s/net/%.32s/carrier", slot, names[0]);
    if (tree_text(text, sizeof(text), root, path))
        card->link = text[0] == '1' ? ANSWER_YES : text[0] == '0' ? ANSWER_NO : ANSWER_UNKNOWN;
    return true;
}

static void read_uarts(struct facts *facts, const char *root)
{
    char path[64];
    uint64_t type;
    for (unsigned i = 0; i < sizeof(facts->uarts) / sizeof(facts->uarts[0]); i++) {
        snprintf(path, sizeof(path), "/sys/class/tty/ttyS%u/type", i);
        if (tree_number(&type, root, path) && type != 0)
            snprintf(facts->uarts[facts->nr_uarts++], sizeof(facts->uarts[0]), "ttyS%u", i);
    }
}

void facts_read_wire(struct facts *facts, const char *root)
{
    static char slots[MAX_FUNCTIONS][TREE_NAME_MAX];
    char route[16];
    default_route(route, sizeof(route), root);
    const size_t nr_slots = tree_names(slots, MAX_FUNCTIONS, root, DEVICES, "");
    for (size_t i = 0; i < nr_slots && facts->nr_cards < FACTS_MAX_CARDS; i++) {
        struct facts_card *card = &facts->cards[facts->nr_cards];
        if (!read_card(card, root, slots[i]))
            continue;
        card->carries_default_route = card->interface[0] && !strcmp(card->interface, route);
        facts->nr_cards++;
    }
    read_uarts(facts, root);
}
