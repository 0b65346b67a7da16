#include "engine/value/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"

enum { PIECE = 1 << 16 };

/* Reads up to one byte more than `most`. */
static void read_file_pieces(FILE *f, size_t most, char **text, size_t *n)
{
    for (size_t cap = PIECE;; cap *= 2) {
        size_t wanted = cap < most + 1 ? cap : most + 1;
        *text = xrealloc(*text, wanted + 1, 1);
        *n += fread(*text + *n, 1, wanted - *n, f);
        (*text)[*n] = '\0';
        if (*n < wanted || wanted == most + 1)
            return;
    }
}

int text_file_read_most(char **text, size_t *n, const char *path, size_t most, struct error *err)
{
    FILE *f = fopen(path, "re");
    *text = NULL;
    *n = 0;
    if (!f)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    read_file_pieces(f, most, text, n);
    int rc = 0;
    struct stat st;
    if (ferror(f))
        rc = error_set(err, ERROR_INPUT, EISDIR, NULL, path, "%s",
                       fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode) ? "it is a folder"
                                                                         : "it cannot be read");
    else if (*n > most)
        rc = error_set(err, ERROR_INPUT, EFBIG, NULL, path, "the file is larger than %zu MiB",
                       most >> 20);
    fclose(f);
    return rc;
}

int text_file_read(char **text, size_t *n, const char *path, struct error *err)
{
    return text_file_read_most(text, n, path, TEXT_FILE_MAX, err);
}
