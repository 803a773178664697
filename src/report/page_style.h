/* The style sheet of every page, as text of CSS. */
#ifndef REPORT_PAGE_STYLE_H
#define REPORT_PAGE_STYLE_H

#include "report/text.h"

void page_style(struct text *out);

#endif
