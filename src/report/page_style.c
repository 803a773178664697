/* The style of a page: the manner of a printed paper. One column of text in a serif at a
 * comfortable width; tables with horizontal rules alone and digits that align; colour only where
 * it means something. */
#include "report/page.h"

#include "report/theme.h"

#define PAGE_SERIF                                                                                 \
    "Charter,'Bitstream Charter','Iowan Old Style','Source Serif 4',Palatino,Georgia,"             \
    "'Liberation Serif',serif"

static const char *const RULES[] = {
    THEME_COLOURS,
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}\n",
    "body{margin:0;background:var(--page);color:var(--ink);font:1.0625rem/1.6 " PAGE_SERIF ";"
    "overflow-wrap:break-word;text-rendering:optimizeLegibility}\n",
    "header,.columns{max-width:90rem;margin:0 auto;padding:0 clamp(1rem,4vw,3rem)}\n",
    "header{padding-top:clamp(2rem,6vw,4.5rem);padding-bottom:1.25rem}\n",
    "h1{font-size:clamp(1.9rem,5vw,2.9rem);line-height:1.12;letter-spacing:-.015em;"
    "font-weight:600;margin:0 0 .6rem;text-wrap:balance}\n",
    ".lead{font-size:1.15rem;color:var(--soft);max-width:44rem;margin:0;text-wrap:pretty}\n",
    "h2{font-size:1.55rem;line-height:1.25;font-weight:600;letter-spacing:-.01em;"
    "margin:0 0 .5rem;text-wrap:balance}\n",
    "h3{font-size:1.12rem;font-weight:600;margin:2rem 0 .4rem}\n",
    "section{padding:2.2rem 0 1rem;border-top:1px solid var(--rule)}\n",
    "main>section:first-child{border-top:0;padding-top:.6rem}\n",
    "p,ul{max-width:44rem;margin:.5rem 0;text-wrap:pretty}\n",
    "ul{padding-left:1.2rem}li{margin:.3rem 0}li>strong{margin-right:.5em;font-weight:600}\n",
    "a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:1px}\n",
    ":focus-visible{outline:2px solid var(--link);outline-offset:3px;border-radius:2px}\n",
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;padding:.4rem .8rem;"
    "background:var(--panel);z-index:2}\n",
    ".unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
    "white-space:nowrap}\n",
    /* Contents: above the text, or beside it where there is room. */
    "nav h2{font:600 .75rem/1.4 " THEME_SANS ";letter-spacing:.07em;"
    "text-transform:uppercase;color:var(--soft);margin:0 0 .4rem}\n",
    "nav ol{list-style:none;margin:0;padding:0;font:.9rem/1.35 " THEME_SANS "}\n",
    "nav li{margin:0}nav a{display:block;padding:.28rem 0;color:var(--soft);"
    "text-decoration:none}\n",
    "nav a:hover{color:var(--link);text-decoration:underline}\n",
    "nav{padding:.9rem 0 1.2rem;border-top:1px solid var(--rule)}\n",
    "main{min-width:0;padding-bottom:5rem}\n",
    "@media (min-width:70rem){.columns{display:grid;"
    "grid-template-columns:11.5rem minmax(0,1fr);gap:2.75rem}nav{position:sticky;top:0;"
    "align-self:start;max-height:100vh;overflow:auto;padding-top:1.1rem}"
    "main>section:first-child{padding-top:1rem;border-top:1px solid var(--rule)}}\n",
    "@media (max-width:69.99rem){nav ol{columns:14rem auto;column-gap:2rem}}\n",
    /* The page in a few numbers. */
    ".figures{display:flex;flex-wrap:wrap;align-items:start;gap:1.1rem 2.6rem;"
    "margin:1.2rem 0 1.4rem}\n",
    ".figures div{display:flex;flex-direction:column-reverse}\n",
    ".figures dd{margin:0;font:600 2.1rem/1.1 " THEME_SANS ";letter-spacing:-.02em;"
    "font-variant-numeric:tabular-nums}\n",
    ".figures dt{font:.85rem/1.4 " THEME_SANS ";color:var(--soft);max-width:11rem}\n",
    ".within{color:var(--within)}.above{color:var(--above)}.below{color:var(--below)}\n",
    /* Tables and plots. */
    "figure{margin:1.3rem 0 1.1rem}\n",
    "figcaption{font:.875rem/1.5 " THEME_SANS ";color:var(--soft);max-width:48rem;"
    "text-wrap:pretty}\n",
    ".table figcaption{margin-bottom:.6rem}.plots figcaption{margin-top:.7rem}\n",
    ".scroll{position:relative;overflow-x:auto;"
    "background:linear-gradient(to left,var(--page) 40%,transparent) right/2.5rem 100% no-repeat "
    "local,linear-gradient(to left,color-mix(in srgb,var(--ink) 16%,transparent),transparent) "
    "right/.8rem 100% no-repeat scroll;"
    "max-width:100%;width:fit-content;border-top:1.5px solid var(--strong);"
    "border-bottom:1.5px solid var(--strong)}\n",
    "table{border-collapse:collapse;font:.84375rem/1.45 " THEME_SANS ";"
    "font-variant-numeric:tabular-nums lining-nums}\n",
    "th,td{padding:.36rem .36rem;text-align:left;vertical-align:baseline}\n",
    "thead th{font-weight:600;color:var(--soft);white-space:nowrap}\n",
    "thead tr:last-child>*{border-bottom:1px solid var(--strong)}\n",
    "thead .group{text-align:center;color:var(--ink);padding-left:1.1rem;"
    "background:linear-gradient(var(--rule),var(--rule)) right bottom/calc(100% - 1.1rem) 1px "
    "no-repeat}\n",
    "tbody th{font-weight:400;text-align:left;min-width:4rem}\n",
    "tbody tr+tr>*{border-top:1px solid color-mix(in srgb,var(--rule) 55%,transparent)}\n",
    "tbody tr:hover>*{background:var(--panel)}\n",
    "th:first-child,thead td:first-child{position:sticky;left:0;background:var(--page);"
    "padding-left:.1rem}\n",
    ".n{text-align:right;white-space:nowrap}th.n{text-align:right}.first{padding-left:1.1rem}\n",
    ".short{white-space:nowrap}"
    "@media (max-width:45rem){.long{min-width:min(16rem,75vw)}th.long{min-width:8rem}}\n",
    "td{max-width:28rem}strong{font-weight:650}\n",
    ".mark{display:inline-block;width:1.1em;text-align:center;font-size:.8em}.mark.within{"
    "font-size:1em;font-weight:700;width:.9em}.more{display:inline-block;"
    "white-space:nowrap;margin-inline-start:.25em;color:var(--soft);font-size:.92em}\n",
    ".label{font-size:.68rem;color:var(--soft);border:1px solid var(--rule);border-radius:.6em;"
    "padding:0 .3em;white-space:nowrap}\n",
    "details{margin:.9rem 0 1.8rem}summary{font:.875rem/1.5 " THEME_SANS ";color:var(--link);"
    "cursor:pointer;width:fit-content}details figure{margin-top:.8rem}\n",
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));"
    "gap:1.6rem 2rem;align-items:start}\n",
    "iframe{display:block;width:100%;height:min(80vh,46rem);border:1px solid var(--rule);"
    "margin-top:.8rem}\n",
    ".panels>svg{max-width:31rem}.narrow .panels{max-width:34rem;grid-template-columns:1fr}\n",
    THEME_PLOT,
    /* On paper: black on white, no list of links, nothing folded, no plot cut in two. */
    "@media print{@page{margin:16mm 14mm}:root{--page:#fff;--link:var(--ink)}\n",
    "html{font-size:9.6pt}body{line-height:1.45}.skip,nav,details{display:none}\n",
    ".columns{display:block}header,.columns{max-width:none;padding-left:0;padding-right:0}\n",
    "header{padding-top:0}section{padding:1rem 0 0}h2,h3,figcaption{break-after:avoid}\n",
    "tr,.panels>svg,.figures,.table,.plots{break-inside:avoid}.scroll{overflow:visible}\n",
    "thead{display:table-header-group}table{font-size:7.6pt}th,td{padding:.18rem .3rem}\n",
    ".first,thead .group{padding-left:.8rem}.panels{grid-template-columns:1fr 1fr}\n",
    ".narrow .panels{grid-template-columns:1fr;max-width:26rem}a{text-decoration:none}\n",
    "th:first-child,thead td:first-child{position:static}}\n",
};

void page_style(struct text *out)
{
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
        text_add(out, RULES[i]);
}
