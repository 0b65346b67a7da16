/* Finds the reader for a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/trace/trace.h"
#include "engine/trace/trace_folder.h"
#include "engine/value/database.h"

enum { HEAD = 512 };

/* Whether it is a document that rooftop wrote (--format json): it holds results, no trace. */
static bool own_document(const char *head, size_t n, char name[64])
{
    static const char key[] = "\"schema\"", start[] = "rooftop.";
    const char *at = memmem(head, n < 64 ? n : 64, key, sizeof key - 1);
    at = at ? memmem(at, (size_t)(head + n - at), start, sizeof start - 1) : NULL;
    if (!at)
        return false;
    snprintf(name, 64, "%.*s", (int)strcspn(at, "\"\n"), at);
    return true;
}

static void unknown_format(const char *path, const char *head, size_t n, const char *known,
                           struct error *err)
{
    char name[64];
    if (n == 0 && (!database_is_whole(path) || database_is_written(path)))
        error_set(err, ERROR_INPUT, EAGAIN, "open it when the program that writes it has ended",
                  path, "it is being written: nothing is in it yet");
    else if (own_document(head, n, name))
        error_set(err, ERROR_INPUT, EINVAL,
                  "rooftop record keeps samples: sessions can be opened and compared", path,
                  "what rooftop printed (%s): results, one value each, without the samples behind "
                  "them",
                  name);
    else
        error_set(err, ERROR_INPUT, EINVAL, known, path, "none of the formats that rooftop reads");
}

const struct reader_ops *trace_reader(const char *path, struct error *err)
{
    unsigned char head[HEAD + 1] = "";
    struct stat st;
    char known[512] = "give it ";
    const struct reader_ops *of_folder = trace_folder_reader(path);
    if (of_folder)
        return of_folder;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    else if (fd >= 0)
        n = read(fd, head, HEAD);
    int code = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0) {
        error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
        return NULL;
    }
    for (size_t i = 0; readers[i]; i++) {
        if (readers[i]->recognise(path, head, (size_t)n))
            return readers[i];
        if (*readers[i]->summary)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                     readers[i]->summary);
    }
    unknown_format(path, (const char *)head, (size_t)n, known, err);
    return NULL;
}
