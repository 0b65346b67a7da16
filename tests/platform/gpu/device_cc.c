/* device_cc PROCESSOR: prints the clang that compiles for a GPU, as rooftop's own tests find it. */
#include <stdio.h>

#include "base/toolbox.h"

int main(int argc, char **argv)
{
    struct toolbox_tool clang;
    struct error err = ERROR_INIT;
    if (argc == 2 && toolbox_find(TOOLBOX_CLANG, argv[1], &clang, &err) == 0)
        return puts(clang.path) < 0;
    fprintf(stderr, "%s: %s; %s\n", err.what, err.why, err.help);
    return 1;
}
