/* The curves of a training on a terminal, with a line of words below, drawn again and again in one
 * place. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "graco_more.h"

enum { LIVE_PLOT_ROWS = 14, LIVE_LINE = 1024 };

/* All zero is a picture that was never drawn. */
struct live {
    graco_run *run; /* whose curve it is; borrowed */
    graco_curve curve;
    int cols, height;             /* of the terminal, at the last frame; 0: there was none */
    int rows;                     /* of the frame on the screen; 0: there is none */
    int used[LIVE_PLOT_ROWS + 1]; /* columns of each of them */
    int64_t drawn;                /* epochs that it shows */
    char line[LIVE_LINE];         /* its last row */
};

/* Reads what the training has done since. */
graco_status live_read(struct live *live);

/* Draws a frame over the one before, unless it would be the same; in the size that stderr's terminal
 * has at this moment. After a signal (stop.h) nothing is drawn any more. */
void live_draw(struct live *live, const char *line);

/* Takes the frame away, so that others can print there; the next one is drawn below what they print. */
void live_remove(struct live *live);

/* Leaves a last frame with all epochs on the screen and goes to the next line. */
void live_end(struct live *live);

/* The size of stderr's terminal, 80 x 24 if it does not say. */
void live_size(int *cols, int *rows);

#endif
