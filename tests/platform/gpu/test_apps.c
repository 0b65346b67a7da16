// The programs of apps/: each kind of work gives the right result at every level of optimisation,
// and leaves nothing behind. Capture and replay are tested on them.
#include "support/program.h"
#include "support/gpu.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void run(int status, const char *format, ...)
{
    char line[512];
    struct program p;
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    program_run(&p, line);
    if (p.status != status)
        gpu_fail(__FILE__, __LINE__, "%s: exit %d\n%s%s", line, p.status, p.out, p.err);
    program_free(&p);
}

TEST(test_usage)
{
    run(2, "$ROOFTOP_GPU_RUN/app");
    run(2, "$ROOFTOP_GPU_RUN/app increment -O 4");
    run(2, "$ROOFTOP_GPU_RUN/app no_such_kind");
}

TEST(test_every_kind)
{
    struct program p;
    char *rest = NULL;
    unsigned kinds = 0;
    program_run(&p, "$ROOFTOP_GPU_RUN/app 2>&1 | sed -n 's/^  \\([a-z_]*\\) .*/\\1/p'");
    for (char *kind = strtok_r(p.out, "\n", &rest); kind; kind = strtok_r(NULL, "\n", &rest)) {
        kinds++;
        for (int level = 1; level <= 3; level++)
            run(0, "$ROOFTOP_GPU_RUN/app %s -O %d -n 3", kind, level);
    }
    assert_true(kinds >= 30);
    program_free(&p);
}

// Hundreds of regions, with the requested sizes.
TEST(test_sizes)
{
    run(0, "$ROOFTOP_GPU_RUN/app regions -c 400");
    run(0, "$ROOFTOP_GPU_RUN/app list -c 300");
    run(0, "$ROOFTOP_GPU_RUN/app sparse -m 256");
    if (!gpu_is_real())
        run(1, "ROOFTOP_EMU_VRAM_MIB=64 $ROOFTOP_GPU_RUN/app big -m 256");
}

// What the program leaves allocated is reported; after a shutdown it is nothing.
TEST(test_what_is_left)
{
    struct program p;
    if (gpu_is_real()) {
        print_message("skipped: what is left: only the emulated GPU knows\n");
        skip();
    }
    run(0, "F=$(mktemp) && ROOFTOP_EMU_LEAKS=$F $ROOFTOP_GPU_RUN/app increment >&2 && "
           "grep -qx 'process [0-9]* left 0' $F && [ $(wc -l <$F) = 1 ]; R=$?; rm $F; exit $R");
    program_run(&p, "F=$(mktemp); ROOFTOP_EMU_LEAKS=$F $ROOFTOP_GPU_RUN/app no_shutdown >&2; cat "
                    "$F; rm $F");
    assert_non_null(strstr(p.out, "compute queue"));
    assert_non_null(strstr(p.out, "device memory at 0x"));
    assert_null(strstr(p.out, "left 0"));
    program_free(&p);
    run(1, "ROOFTOP_EMU_HANG_COPY=x $ROOFTOP_GPU_RUN/app increment");
}
