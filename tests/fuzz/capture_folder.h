/* Makes a folder with a capture from bytes of the input. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/capture.h"
#include "format/sum.h"

static char folder[64];

static inline void folder_put(const char *file, const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static inline void folder_drop(const char *file)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    unlink(path);
}

static inline void folder_away(void)
{
    static const char *const files[] = {
        CAPTURE_DISPATCH, CAPTURE_REGIONS,         CAPTURE_KERNARG,         CAPTURE_CODE,
        CAPTURE_COMPLETE, "metadata.json",         "module_variables.json", "memory/a",
        "memory/b",       "memory/region_1000.bin"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        folder_drop(files[i]);
    snprintf(path, sizeof path, "%s/memory", folder);
    rmdir(path);
    rmdir(folder);
}

static inline void folder_make(void)
{
    static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, [18] = 224};
    char path[128];
    if (folder[0])
        return;
    snprintf(folder, sizeof folder, "%s/rooftop-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                           : "/tmp"); /* a file system in memory is faster */
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/memory", folder);
    mkdir(path, 0755);
    folder_put(CAPTURE_CODE, elf, sizeof elf);
    folder_put(CAPTURE_KERNARG, "12345678", 8);
    atexit(folder_away);
}

/* Writes the capture_complete that belongs to the two documents. */
static inline void folder_seal(const void *dispatch, size_t ndispatch, const void *regions,
                               size_t nregions)
{
    char text[256], a[SUM_TEXT], b[SUM_TEXT];
    int n = snprintf(text, sizeof text, CAPTURE_FORMAT " %d\n%s  %s\n%s  %s\n", CAPTURE_VERSION,
                     sum_text(sum_bytes(dispatch, ndispatch), a), CAPTURE_DISPATCH,
                     sum_text(sum_bytes(regions, nregions), b), CAPTURE_REGIONS);
    folder_put(CAPTURE_COMPLETE, text, (size_t)n);
}
