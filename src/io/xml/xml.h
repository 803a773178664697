/* XML as a stream of elements: as much of it as graph files need, and strict about that. There are no
 * document types, so nothing can be expanded: of entities only the five that XML itself has, and
 * characters by number, are known. Elements nest at most XML_DEPTH deep and have at most
 * XML_ATTRIBUTES attributes, so that memory does not grow with the document. The text is UTF-8.
 *
 *     xml_start(&xml, bytes, length);
 *     while (xml_next(&event, &xml) == GRACO_OK && event != XML_END)
 *         if (event == XML_OPEN && xml_is(&xml, "node")) ...
 *     xml_clear(&xml);
 *
 * What is not well-formed is GRACO_ERROR_FORMAT with line and column. O(length) for a whole document. */
#ifndef IO_XML_XML_H
#define IO_XML_XML_H

#include "base/status.h"
#include "io/cursor.h"

enum { XML_DEPTH = 64, XML_ATTRIBUTES = 32 };

enum xml_event {
    XML_OPEN,  /* an element begins: `name` and the attributes are its own */
    XML_CLOSE, /* an element ends: `name` is its name */
    XML_TEXT,  /* text between them: `text`, and `verbatim` if nothing in it is escaped */
    XML_END,   /* of the document */
};

/* A piece of the document as it stands there, escapes included. */
struct xml_piece {
    const char *at;
    int64_t length;
};

struct xml {
    struct cursor cursor;
    struct xml_piece open[XML_DEPTH]; /* the names of the elements that are open */
    int depth;                        /* how many these are */
    bool ended;                       /* the root is closed */
    bool closing;                     /* the last element was <name/>: its end comes next */
    struct xml_piece name, text;
    bool verbatim;
    int count;
    struct {
        struct xml_piece name, value;
    } attributes[XML_ATTRIBUTES];
    char *plain; /* what xml_value and xml_content made */
    int64_t room;
};

/* Borrows the bytes. Cannot fail. */
void xml_start(struct xml *xml, const void *bytes, int64_t length);
void xml_clear(struct xml *xml);

graco_status xml_next(enum xml_event *event, struct xml *xml);

/* Whether `name` is this. */
bool xml_is(const struct xml *xml, const char *name);

/* An attribute of the last element that began, without escapes; *value is NULL if it has none of that
 * name. Good until the next call of this or of xml_content. */
graco_status xml_value(const char **value, struct xml *xml, const char *name);

/* After XML_OPEN: goes to the end of that element and gives its text without escapes and without the
 * blanks around it, leaving out elements within. Good until the next call of this or of xml_value. */
graco_status xml_content(const char **text, struct xml *xml);

/* A failure that names the place. */
graco_status xml_fail(const struct xml *xml, const char *problem);

#endif
