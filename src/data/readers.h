/* The readers: one per format, and the way from a name to a file.
 *
 * A reader is a file read_NAME.c that ends with `const struct reader reader_NAME`, and a row of
 * READERS. It fills a struct dataset_parts and hands it to dataset_create. */
#ifndef DATA_READERS_H
#define DATA_READERS_H

#include "data/dataset.h"
#include "data/members.h"

/* Where a data set may lie; a reader may know several. */
enum place { PLACE_ARCHIVE = 1, PLACE_FOLDER = 2, PLACE_TEXT = 4 };

/* What a reader gets. Borrows everything. */
struct source {
    enum place place;
    const char *path, *name; /* of the file, and for the data set */
    const graco_load_options *options;
    struct members members;   /* of an archive or a folder */
    struct file_list files;   /* of a folder */
    struct member_bytes text; /* of a file */
    bool by_rows;             /* several ranks read it, each its rows alone */
};

struct reader {
    const char *format;
    int places;
    const char *sign; /* a part that tells the format, for messages */
    bool tables;      /* features and labels may lie in files beside it */

    /* Whether any part that only this format has is there: read says what else is missing. NULL:
     * whatever it is, it is this. */
    bool (*knows)(const struct source *source);

    /* Fills *out, which the caller owns; untouched on failure. */
    graco_status (*read)(struct graco_dataset **out, const struct source *source);
};

/* In the order in which they are asked. */
#define READERS(READER)                                                                            \
    READER(native)                                                                                 \
    READER(citation)                                                                               \
    READER(planetoid)                                                                              \
    READER(ppi)                                                                                    \
    READER(reddit)                                                                                 \
    READER(graphsaint)                                                                             \
    READER(ogb)                                                                                    \
    READER(musae)                                                                                  \
    READER(wikics)                                                                                 \
    READER(scipy)                                                                                  \
    READER(node_link)                                                                              \
    READER(graphml)                                                                                \
    READER(edges)

#define READER_DECLARE(name) extern const struct reader reader_##name;
READERS(READER_DECLARE)

/* Whether the first character of a text that is no blank is this one. */
bool source_begins(const struct source *source, char first);

/* The file or folder that `source` means: itself if it exists, else a file or folder of that name,
 * or that name with .npz or .zip, under $GRACO_DATA, else $XDG_DATA_HOME/graco, else
 * ~/.local/share/graco. A source with a slash is a path and nothing else. The caller owns *path.
 * GRACO_ERROR_IO lists where it looked. */
graco_status dataset_find(char **path, const char *source);

/* The last part of a path without extension (.npz, .txt, .txt.gz, ...); a folder keeps its dots. What is not
 * UTF-8 becomes '?'. The caller owns *name. */
graco_status dataset_name(char **name, const char *path);

#endif
