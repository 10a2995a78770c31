/* Kind: shell, init */
#include "boot/memory/image.h"

#include "base/phys.h"

void image_send(struct pt_engine *pt, uint64_t pa, uint64_t cr3)
{
    for (const char *va = image_start; va < image_text_end; va += RECORD_PAGE_SIZE) {
        uint64_t offset = (uint64_t)(va - image_start);
        struct record_page page = {.gpa = pa + offset,
                                   .gva = IMAGE_BASE + offset,
                                   .cr3 = cr3,
                                   .mode = 64,
                                   .flags = RECORD_PAGE_ROOT,
                                   .size = RECORD_PAGE_SIZE};
        pt_record(pt, RECORD_PAGE, &page, sizeof page, va, RECORD_PAGE_SIZE);
    }
}
