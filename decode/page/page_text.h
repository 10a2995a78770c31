/* The page without its data: web/, put together by bundle.sh when the host tool is built. Data stand where @TITLE@ and
 * @DATA@ do. */
#ifndef DECODE_PAGE_TEXT_H
#define DECODE_PAGE_TEXT_H

extern const char page_text[];

#endif
