/* The style sheet of every page, as text of CSS. */
#ifndef REPORT_PAGE_STYLE_H
#define REPORT_PAGE_STYLE_H

#include "base/text.h"

void page_style(struct text *out);

#endif
