#include "engine/job/hang_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/watch.h"
#include "engine/trace/trace_folder.h"

enum { HEAD = 1 << 16 };

bool hang_file_is(const char *path)
{
    unsigned char head[HEAD];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return n > 0 && hang_reader.files->recognise(path, head, (size_t)n);
}

static void note_dump_left_out(struct hang *h, const struct error *why)
{
    char line[1200], text[1024];
    snprintf(line, sizeof line, "left out: %s", error_format(why, text, sizeof text));
    hang_note(h, line);
    h->left_out++;
}

/* Fails only if no dump of the folder can be read, or if nobody waits for the answer any more. */
static int add_dumps(struct hang *h, void *memory, const struct trace_places *places,
                     struct error *err)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < places->n; i++) {
        struct error why = ERROR_INIT;
        if (watch_check(places->paths[i], err) != 0)
            return -ECANCELED;
        const int rc = hang_reader.add(memory, h, places->paths[i], &why);
        if (rc == 0)
            continue;
        *err = why;
        if (rc == -ECANCELED || ++bad == places->n)
            return rc;
        note_dump_left_out(h, &why);
    }
    return 0;
}

static int add_dump_folder(struct hang *h, void *memory, const char *path, struct error *err)
{
    struct trace_places places = {.n = 0};
    char line[PLACES_LINE];
    int rc = trace_folder_list(&places, path, err);
    if (rc == 0 && places.reader != hang_reader.files)
        rc = error_set(err, ERROR_INPUT, EINVAL, "name profiles and dumps in commands of their own",
                       path, "it has profiles, and the files before have dumps of a hang");
    for (int k = 0; rc == 0 && trace_places_tell(&places, path, &k, line);)
        hang_note(h, line);
    if (rc == 0)
        rc = add_dumps(h, memory, &places, err);
    trace_places_free(&places);
    return rc;
}

int hang_files_open(struct hang *out, const char *const *paths, size_t n, struct error *err)
{
    void *memory = hang_reader.begin();
    int rc = 0;
    *out = (struct hang){.n = 0};
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = trace_folder_is(paths[i]) ? add_dump_folder(out, memory, paths[i], err)
                                       : hang_reader.add(memory, out, paths[i], err);
    hang_reader.end(memory);
    return rc == 0 ? hang_finish(out, err) : rc;
}
