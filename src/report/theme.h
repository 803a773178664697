/* The colours and letters that pages and plots share, as CSS. Plots name colours by variables, so
 * that one picture serves a light and a dark page; a picture that stands alone carries the same
 * variables with it.
 *
 * Series have eight colours whose lightness differs, told apart by readers who see no red or no
 * green; lines differ in their dashes and marks too. */
#ifndef REPORT_THEME_H
#define REPORT_THEME_H

enum { THEME_SERIES = 8 };

#define THEME_COLOURS                                                                              \
    ":root{color-scheme:light dark;"                                                               \
    "--page:#fdfdfb;--panel:#f5f5f1;--ink:#1d1e20;--soft:#5b6067;--rule:#d8d8d2;--strong:#33363a;" \
    "--link:#0b5c94;--within:#1a7460;--above:#0b5c94;--below:#b34700;"                             \
    "--c0:#0b69a8;--c1:#cc5200;--c2:#008465;--c3:#a3418c;--c4:#a87b00;--c5:#4aa3df;--c6:#5d5d5d;"  \
    "--c7:#7b4a26}\n"                                                                              \
    "@media screen and (prefers-color-scheme:dark){:root{"                                         \
    "--page:#16181b;--panel:#1e2125;--ink:#e6e6e1;--soft:#a2a8b0;--rule:#363b41;--strong:#c9ccd0;" \
    "--link:#7cc0f5;--within:#5fd0ae;--above:#7cc0f5;--below:#ffa06b;"                             \
    "--c0:#5db2f3;--c1:#ff8f52;--c2:#45d0a2;--c3:#e48dcb;--c4:#e3b740;--c5:#a9d8fb;--c6:#b9bec5;"  \
    "--c7:#c79c74}}\n"

#define THEME_SANS "-apple-system,'Segoe UI','Helvetica Neue',Arial,'Liberation Sans',sans-serif"

#define THEME_PLOT                                                                                 \
    ".plot{display:block;width:100%;height:auto}"                                                  \
    ".plot text{font-family:" THEME_SANS ";font-size:12px;fill:var(--soft);"                       \
    "font-variant-numeric:tabular-nums}"                                                           \
    ".plot .name{font-size:14px;font-weight:600;fill:var(--ink)}"                                  \
    ".plot .middle{text-anchor:middle}.plot .end{text-anchor:end}"                                 \
    ".plot .small{font-size:11.5px}.plot .on-dark{fill:#fff}.plot .on-light{fill:#15202b}"         \
    ".plot .axis{stroke:var(--soft);stroke-width:1;fill:none}"                                     \
    ".plot .grid{stroke:var(--rule);stroke-width:1;fill:none}"                                     \
    ".plot .line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round;"              \
    "stroke-linecap:round}"                                                                        \
    ".plot .band{fill:currentColor;stroke:none;opacity:.16}"                                       \
    ".plot .mark{fill:var(--page);stroke:currentColor;stroke-width:1.8}"                           \
    ".plot .dots{fill:none;stroke:currentColor;stroke-width:4.2;stroke-linecap:round;opacity:.62}" \
    ".plot .squares{stroke-linecap:square;stroke-width:3.6}"                                       \
    ".plot .large{stroke-width:8;opacity:.8}.plot .large.squares{stroke-width:6.8}"                \
    ".plot .halo{paint-order:stroke;stroke:var(--page);stroke-width:3.5px;stroke-linejoin:round;"  \
    "font-weight:600;fill:var(--ink)}"                                                             \
    ".plot .best{fill:none;stroke:#15202b;stroke-width:2.4}"                                       \
    ".plot .hollow{fill:var(--panel);stroke:var(--rule)}"                                          \
    ".s0{color:var(--c0)}.s1{color:var(--c1)}.s2{color:var(--c2)}.s3{color:var(--c3)}"             \
    ".s4{color:var(--c4)}.s5{color:var(--c5)}.s6{color:var(--c6)}.s7{color:var(--c7)}\n"

#endif
