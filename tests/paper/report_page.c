/* Makes a report from the shell: report_page RESULTS FOLDER. Exits with 1 and one line if it
 * fails. */
#include "paper/report.h"

#include <stdio.h>

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: report_page RESULTS FOLDER\n");
        return 2;
    }
    if (report_make(words[1], words[2], &(struct report_about){0}) != GRACO_OK) {
        fprintf(stderr, "report_page: %s\n", graco_message());
        return 1;
    }
    return 0;
}
