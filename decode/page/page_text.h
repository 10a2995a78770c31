/* The page without its data: web/, joined by bundle.sh when the host tool is built. The data replace @TITLE@ and
 * @DATA@. */
#ifndef DECODE_PAGE_TEXT_H
#define DECODE_PAGE_TEXT_H

extern const char page_text[];

#endif
