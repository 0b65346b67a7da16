#include "support/scene.h"
#include "support/gpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

int scene_begin(void **state)
{
    static char folder[] = "/tmp/rooftop-gpu-XXXXXX";
    char path[512];
    const char *run = getenv("ROOFTOP_GPU_RUN"), *plain = getenv("ROOFTOP_PROGRAM");
    (void)state;
    if (!run || !plain || !mkdtemp(folder))
        return -1;
    setenv("D", folder, 1);
    snprintf(path, sizeof path, "%s/app", run);
    setenv("APP", path, 1);
    snprintf(path, sizeof path, "%s/rooftop", run);
    setenv("ROOFTOP", path, 1);
    setenv("PLAIN", plain, 1);
    // what it keeps of captures and replays is not the user's
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("XDG_DATA_HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    return 0;
}

int scene_end(void **state)
{
    struct program p;
    (void)state;
    program_run(&p, "rm -rf \"$D\"");
    program_free(&p);
    return 0;
}

const char *scene_clang(void)
{
    const char *clang = getenv("CLANG");
    return clang ? clang : "";
}

bool scene_has_vmem(void)
{
#if HSA_AMD_INTERFACE_VERSION_MINOR >= 4
    return true;
#else
    return false;
#endif
}

void scene_run(struct program *p, const char *format, ...)
{
    char line[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    program_run(p, line);
}

void expect(int status, const char *words, const char *format, ...)
{
    char line[2048];
    struct program p;
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    program_run(&p, line);
    if (p.status != status)
        gpu_fail(__FILE__, __LINE__, "%s\nexit %d, wanted %d\n%s%s", line, p.status, status, p.out,
                 p.err);
    if (words && !strstr(p.out, words) && !strstr(p.err, words))
        gpu_fail(__FILE__, __LINE__, "%s\ndoes not say: %s\n%s%s", line, words, p.out, p.err);
    program_free(&p);
}
