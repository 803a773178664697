/* The machine as /proc has it: the NVIDIA driver names its GPUs there, the kernel the processor. */
#include "measures.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text behind "NAME<blanks>:" in a file of /proc, without blanks around it; "" if there is
 * none. */
static void read_field(char out[MACHINE_TEXT], const char *path, const char *name)
{
    char line[MACHINE_TEXT];
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, name, strlen(name)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, MACHINE_TEXT, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    if (file)
        fclose(file);
}

/* The first GPU of the NVIDIA driver. */
static void read_gpu(char out[MACHINE_TEXT])
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    DIR *list = opendir(folder);
    const struct dirent *entry;
    out[0] = '\0';
    while (list && !*out && (entry = readdir(list))) {
        char path[2 * MACHINE_TEXT + 64];
        snprintf(path, sizeof path, "%s/%s/information", folder, entry->d_name);
        read_field(out, path, "Model");
    }
    if (list)
        closedir(list);
}

const char *machine_name(char text[MACHINE_TEXT])
{
    char gpu[MACHINE_TEXT], processor[MACHINE_TEXT];
    read_gpu(gpu);
    read_field(processor, "/proc/cpuinfo", "model name");
    snprintf(text, MACHINE_TEXT, "%.100s%s%.100s%s%ld cores", gpu, *gpu ? ", " : "", processor,
             *processor ? ", " : "", sysconf(_SC_NPROCESSORS_ONLN));
    return text;
}
