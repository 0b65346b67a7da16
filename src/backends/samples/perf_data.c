/* perf.data, which perf record writes. Its symbols are in the programs that were sampled, and perf
 * finds them: rooftop reads what perf script says about the file. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/samples/samples.h"
#include "base/child.h"
#include "base/memory.h"
#include "base/shell_word.h"
#include "base/watch.h"

static bool is_perf_data(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= 8 && memcmp(head, "PERFILE2", 8) == 0; /* perf.data-file-format.txt */
}

/* "perf script -i FILE > FILE.txt", with the name as a shell needs it. */
static void write_script_command(const char *path, char out[PATH_MAX])
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    fputs("perf script -i ", f);
    shell_word(f, path);
    fputs(" > perf.txt, and open perf.txt", f);
    fclose(f);
    snprintf(out, PATH_MAX, "%s", text);
    free(text);
}

static int refuse_perf_data(const char *path, int rc, struct error *err)
{
    char help[PATH_MAX];
    write_script_command(path, help);
    if (rc == -ECANCELED)
        return watch_check(path, err);
    if (rc == -ENOENT)
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, help, path,
                         "only perf reads this file, and perf is not installed here; on the "
                         "machine that recorded it:");
    if (rc == -EFBIG || rc == -ETIMEDOUT)
        return error_set(err, ERROR_INPUT, -rc, help, path, "perf script %s",
                         rc == -EFBIG ? "writes more than 1 GB, or than a quarter of the memory "
                                        "that may be used (--max-memory)"
                                      : "takes longer than 10 minutes");
    if (rc < 0)
        return error_set(err, ERROR_INTERNAL, -rc, help, path, "perf script: %s", strerror(-rc));
    return error_set(err, ERROR_INPUT, EINVAL, help, path, "perf script cannot read it (status %d)",
                     rc);
}

static int read_perf_data(const char *path, struct trace *t, struct error *err)
{
    enum { MOST = 1 << 30, MINUTES = 10 };
    const uint64_t share = memory_limit() / 4;
    const size_t most = share < MOST ? (size_t)share : MOST;
    char perf[PATH_MAX], memory[64], *text = NULL;
    if (!child_find("perf", perf, sizeof perf))
        return refuse_perf_data(path, -ENOENT, err);
    /* -f: also files of others. Inlined functions would take addr2line for each address. */
    char *const argv[] = {perf,          "script",     "-f",
                          "--no-inline", "-F",         "comm,pid,tid,time,period,event,ip,sym,dso",
                          "-i",          (char *)path, NULL};
    int rc = child_run(argv, (uint64_t)MINUTES * 60 * 1000000000u, most, &text);
    if (rc != 0) {
        free(text);
        return refuse_perf_data(path, rc, err);
    }
    const int fd = child_file(text, strlen(text), memory);
    free(text);
    if (fd < 0)
        return refuse_perf_data(path, -errno, err);
    rc = samples_read_perf_script(memory, path, t, err);
    close(fd);
    return rc;
}

const struct reader_ops reader_perf_data = {
    .name = "perf.data",
    .summary = "perf, pprof, speedscope",
    .recognise = is_perf_data,
    .read = read_perf_data,
};
