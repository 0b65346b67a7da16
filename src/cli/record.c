#include "cli/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/print.h"
#include "base/env.h"
#include "cli/headless.h"
#include "cli/exit.h"
#include "cli/version.h"

enum { MAX_SIZE_LEAST = 1 << 20 };

/* "64M", "1.5G", "2GiB": powers of 1024, as sizes of files are meant. */
static int parse_size(const char *text, uint64_t *bytes, struct error *err)
{
    static const char units[] = "KMGT";
    char *end;
    double v = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit && *unit)
        v *= pow(1024, (double)(unit - units + 1));
    if (end == text || (*end && !unit) ||
        (unit && end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0) ||
        !(v >= MAX_SIZE_LEAST && v < 1e18))
        return error_set(err, ERROR_USAGE, EINVAL, "64M, 2G; at least 1M", "--max-size",
                         "'%.40s' is no size", text);
    *bytes = (uint64_t)v;
    return 0;
}

/* A name that sorts by time, in the working directory. */
static const char *default_path(char out[64])
{
    time_t t = (time_t)(env_wall_ns() / 1000000000u);
    struct tm tm = {0};
    localtime_r(&t, &tm);
    strftime(out, 64, "rooftop-%Y%m%d-%H%M%S.rooftop", &tm);
    return out;
}

int record_open(struct session_writer **out, const struct options *o, struct error *err)
{
    char name[64];
    struct session_config config = {.path = o->output ? o->output : default_path(name),
                                    .replace = o->replace,
                                    .generator = "rooftop " ROOFTOP_VERSION};
    *out = NULL;
    if (o->max_size) {
        int rc = parse_size(o->max_size, &config.max_bytes, err);
        if (rc != 0)
            return rc;
    }
    int rc = session_create(out, &config, err);
    if (rc == 0 && isatty(STDERR_FILENO) && !o->argv) {
        char line[1000];
        print_line(line, sizeof line, "recording to %.900s; ^C ends it", config.path);
        exit_note(line);
    }
    return rc;
}

int record_run(struct options *o)
{
    return headless_run(o);
}
