#include "cli/run/written.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/output.h"

void written_begin(struct written *w, const char *path, double seconds)
{
    *w = (struct written){.path = path,
                          .answer_fd = path ? STDOUT_FILENO : STDERR_FILENO,
                          .seconds = seconds,
                          .purpose = "open it"};
}

void written_count(struct written *w, const char *what, uint64_t n)
{
    if (n)
        brief_row(&w->brief, what, "%" PRIu64, n);
}

void written_opens(struct written *w)
{
    if (!w->path)
        return;
    brief_next(&w->brief, "rooftop", &w->path, 1);
    brief_next(&w->brief, "rooftop report --brief", &w->path, 1);
}

/* Adds the verdict: what was written, and how much. */
static void add_written_verdict(struct written *w)
{
    char line[BRIEF_TEXT];
    struct stat st;
    w->brief.wrote = w->path;
    w->brief.wrote_bytes = NAN;
    if (w->path && stat(w->path, &st) == 0 && S_ISREG(st.st_mode))
        w->brief.wrote_bytes = (double)st.st_size;
    output_describe(line, sizeof line, w->path, w->seconds);
    brief_verdict(&w->brief, "%s", line);
}

static int answer_written(struct written *w, const struct options *o, struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        abort();
    w->brief.command = o->words;
    if (!*w->brief.verdict)
        add_written_verdict(w);
    brief_write(f, &w->brief, options_brief_format(o));
    fclose(f);
    const int rc = output_document(NULL, w->answer_fd, text, n, err);
    free(text);
    return rc;
}

int written_tell(struct written *w, const struct options *o, struct error *err)
{
    char then[BRIEF_TEXT + 64] = "";
    if (options_brief(o))
        return answer_written(w, o, err);
    if (w->brief.nnext)
        snprintf(then, sizeof then, "%.60s: %s", w->purpose, w->brief.next[0]);
    if (w->path)
        output_written(w->path, w->seconds, then);
    return 0;
}
