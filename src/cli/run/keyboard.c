#include "cli/run/keyboard.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"

void keyboard_take(struct options *o)
{
    static char name[32];
    if (!o->reads_stdin || isatty(STDIN_FILENO))
        return;
    const int keys = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    const int file = keys >= 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (file >= 0 && dup2(keys, STDIN_FILENO) == STDIN_FILENO) {
        snprintf(name, sizeof name, "/dev/fd/%d", file);
        for (size_t i = 0; i < o->noperands; i++)
            if (strcmp(o->operands[i], OPTIONS_STDIN) == 0)
                o->operands[i] = name;
    }
    if (keys >= 0)
        close(keys);
}
