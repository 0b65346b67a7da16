#include "support/brick_demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/temp_folder.h"

int brick_demo_begin(void **state)
{
    const char *path = program_rooftop();
    char bin[4096], demo[4200];
    if (temp_folder_make(state) != 0)
        return -1;
#if defined(__SANITIZE_ADDRESS__)
    setenv("SANITIZER", "-fsanitize=address,undefined", 1);
#elif defined(__SANITIZE_THREAD__)
    setenv("SANITIZER", "-fsanitize=thread", 1);
#endif
    if (path && realpath(path, bin)) {
        bin[strlen(bin) - strlen("/rooftop")] = '\0';
        setenv("LIBS", bin, 1);
        snprintf(demo, sizeof demo, "%s/examples/transformer/transformer", bin);
        setenv("DEMO", demo, 1);
    }
    return 0;
}
