// Reports what a program leaves behind: when it ends, ROOFTOP_EMU_LEAKS=FILE gets a line for each
// thing that the runtime still holds, and a last line with their number. After hsa_shut_down()
// there is nothing. A program that is killed, or calls _exit(), adds no line at all.
#include "emu.h"
#include <unistd.h>

__attribute__((destructor)) static void report(void)
{
    const char *path = emu_settings()->leaks; // set where the GPU was opened
    FILE *to = path ? fopen(path, "ae") : NULL;
    if (!to)
        return;
    const unsigned n = emu_memory_left(to) + emu_views_left(to) + emu_queues_left(to);
    fprintf(to, "process %d left %u\n", (int)getpid(), n);
    fclose(to);
}
