#include "tui/input/typed_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/state_dir.h"
#include "base/temporary.h"
#include "tui/canvas/canvas.h"

enum { LINE_SIZE = 256, FILE_MAX = TYPED_LINES_MAX * LINE_SIZE };

struct typed_lines {
    char lines[TYPED_LINES_MAX][LINE_SIZE]; /* oldest first */
    size_t n;
};

struct typed_lines *typed_lines_new(void)
{
    return xcalloc(1, sizeof(struct typed_lines));
}

void typed_lines_free(struct typed_lines *h)
{
    free(h);
}

size_t typed_lines_len(const struct typed_lines *h)
{
    return h->n;
}

const char *typed_lines_get(const struct typed_lines *h, size_t back)
{
    return back < h->n ? h->lines[h->n - 1 - back] : "";
}

static bool is_command_text(const char *line)
{
    if (!*line)
        return false;
    for (const char *p = line; *p;) {
        uint32_t ch = text_next(&p);
        if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch == 0xfffd)
            return false;
    }
    return true;
}

static void drop_command(struct typed_lines *h, size_t i)
{
    memmove(h->lines[i], h->lines[i + 1], (h->n - 1 - i) * LINE_SIZE);
    h->n--;
}

void typed_lines_add(struct typed_lines *h, const char *line)
{
    if (!is_command_text(line) || strlen(line) >= LINE_SIZE)
        return;
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->lines[i], line) == 0) {
            drop_command(h, i);
            break;
        }
    if (h->n == TYPED_LINES_MAX)
        drop_command(h, 0);
    memcpy(h->lines[h->n++], line, strlen(line) + 1);
}

void typed_lines_parse(struct typed_lines *h, const char *text, size_t len)
{
    char line[LINE_SIZE];
    for (const char *p = text, *end = text + len; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((nl ? nl : end) - p);
        if (n < sizeof line && !memchr(p, '\0', n)) {
            memcpy(line, p, n);
            line[n] = '\0';
            typed_lines_add(h, line);
        }
        p += n + 1;
    }
}

int typed_lines_load(struct typed_lines *h, const char *dir)
{
    char path[512];
    snprintf(path, sizeof path, "%s/history", dir);
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    char *text = xcalloc(FILE_MAX, 1);
    struct stat st;
    /* only the end of a longer file is read */
    if (fstat(fileno(f), &st) == 0 && st.st_size > FILE_MAX)
        fseek(f, -(long)FILE_MAX, SEEK_END);
    size_t n = fread(text, 1, FILE_MAX, f);
    fclose(f);
    typed_lines_parse(h, text, n);
    free(text);
    return 0;
}

int typed_lines_save(const struct typed_lines *h, const char *dir)
{
    char path[512], temp[512 + TEMPORARY_MORE];
    state_dir_make(dir);
    snprintf(path, sizeof path, "%s/history", dir);
    const int fd = temporary_file(path, temp, sizeof temp);
    if (fd < 0)
        return fd;
    FILE *f = temporary_stream(fd);
    int rc = f ? 0 : -errno;
    for (size_t i = 0; f && i < h->n; i++)
        /* raw: read back as it was typed, and only drawn on the canvas */
        fprintf(f, "%s\n", h->lines[i]);
    bool failed = f && ferror(f) != 0;
    if (f && (fclose(f) != 0 || failed))
        rc = -EIO;
    if (rc == 0 && rename(temp, path) != 0)
        rc = -errno;
    if (rc != 0)
        unlink(temp);
    close(fd);
    return rc;
}
