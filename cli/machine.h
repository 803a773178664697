/* The machine in words, for whoever reads times. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

enum { MACHINE_TEXT = 256 };

/* "NVIDIA H200, AMD EPYC ..., 16 cores": what Linux tells of it, without what it does not tell. */
const char *machine_name(char text[MACHINE_TEXT]);

#endif
