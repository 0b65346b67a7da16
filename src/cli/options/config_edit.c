/* Changes settings in the text of a configuration, and leaves everything else as it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/print.h"
#include "base/temporary.h"
#include "cli/options/config.h"
#include "engine/value/text_file.h"
#include "engine/value/toml.h"

enum { FILE_MOST = (1 << 16) - 1, PATH_SIZE = 4096 };

/* Where a setting stands, or would stand, in a text; lines are counted from 1, 0: there is none. */
struct setting_place {
    const struct config_setting *wanted;
    int line;         /* of its value */
    int table, after; /* the header of its table; the last line of what the table has */
    bool same;        /* the value is the wanted one */
};

static int look_at_item(void *ctx, const struct toml_item *item)
{
    struct setting_place *p = ctx;
    if (strcmp(item->table, p->wanted->table) != 0)
        return 0;
    if (item->type == TOML_TABLE)
        p->table = item->line;
    if (item->line > p->after)
        p->after = item->line;
    if (item->key && strcmp(item->key, p->wanted->key) == 0) {
        p->line = item->line;
        p->same = item->type == TOML_STRING && strcmp(item->string, p->wanted->value) == 0;
    }
    return 0;
}

static int find_setting(struct setting_place *p, const struct config_setting *s, const char *text,
                        struct error *err)
{
    struct toml_failure failure = {0};
    *p = (struct setting_place){.wanted = s};
    const int rc = toml_walk(text, strlen(text), look_at_item, p, &failure);
    return rc == 0 ? 0
                   : error_set(err, ERROR_INPUT, EINVAL, "mend it first", "configuration",
                               "line %d: %s", failure.line, failure.why);
}

/* The begin of a line, counted from 1; of a line behind the last one the end of the text. */
static const char *line_begin(const char *text, int line)
{
    while (--line > 0 && *text) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* The end of a string that begins at p: behind its quote. NULL: it is none of one line. */
static const char *string_end(const char *p)
{
    const char quote = *p;
    if ((quote != '"' && quote != '\'') || (p[1] == quote && p[2] == quote))
        return NULL;
    for (p++; *p && *p != '\n' && *p != quote; p++)
        p += quote == '"' && *p == '\\' && p[1] && p[1] != '\n';
    return *p == quote ? p + 1 : NULL;
}

/* The value that stands on a line, and its end. NULL: it is no string of one line. */
static const char *value_of_line(const char *line, const char **end)
{
    const char *p = line + strspn(line, " \t");
    if (*p == '"' || *p == '\'')
        p = string_end(p);
    p = p ? strchr(p, '=') : NULL;
    const char *value = p ? p + 1 + strspn(p + 1, " \t") : NULL;
    *end = value ? string_end(value) : NULL;
    return *end ? value : NULL;
}

static void put_toml_text(FILE *out, const char *text)
{
    fputc('"', out);
    print_put(out, PRINT_TOML, text);
    fputc('"', out);
}

void config_setting_write(FILE *out, const struct config_setting *s)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (*s->key && strspn(s->key, bare) == strlen(s->key))
        print_text(out, "%s", s->key);
    else
        put_toml_text(out, s->key);
    fputs(" = ", out);
    put_toml_text(out, s->value);
}

/* Where a new line of the top belongs if nothing is there yet: behind the comment that begins the
 * file. */
static const char *skip_head_comment(const char *text)
{
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static void write_with_setting(FILE *f, const char *text, const struct setting_place *p)
{
    const char *end, *at = text;
    const struct config_setting *s = p->wanted;
    if (p->line && (at = value_of_line(line_begin(text, p->line), &end))) {
        fwrite(text, 1, (size_t)(at - text), f); /* raw: the user's file, unchanged */
        put_toml_text(f, s->value);
        fputs(end, f); /* raw: likewise */
        return;
    }
    const bool new_table = *s->table && !p->table;
    at = p->after ? line_begin(text, p->after + 1) : skip_head_comment(text);
    if (new_table)
        at = text + strlen(text);
    fwrite(text, 1, (size_t)(at - text), f); /* raw: likewise */
    if (at > text && at[-1] != '\n')
        fputc('\n', f);
    if (new_table && at > text)
        fputc('\n', f);
    if (new_table)
        print_text(f, "[%s]\n", s->table);
    config_setting_write(f, s);
    fputc('\n', f);
    fputs(at, f); /* raw: likewise */
}

char *config_with(const char *text, const struct config_setting *s, struct error *err)
{
    struct setting_place before, now;
    char *out = NULL;
    size_t n = 0;
    if (find_setting(&before, s, text, err) != 0)
        return NULL;
    FILE *f = open_memstream(&out, &n);
    if (!f)
        abort();
    write_with_setting(f, text, &before);
    fclose(f);
    if (find_setting(&now, s, out, err) == 0 && now.same)
        return out;
    free(out);
    error_set(err, ERROR_INPUT, EINVAL, NULL, "configuration",
              "line %d has a value that only a person can change", before.line);
    return NULL;
}

/* --- the file --- */

/* Makes the folders of a path, for this user only. */
static void make_config_folders(const char *path)
{
    char part[PATH_SIZE];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
}

static int refuse_writing(const char *path, int code, struct error *err)
{
    char what[192];
    snprintf(what, sizeof what, "write %.150s", path);
    return error_set(err, ERROR_OUTPUT, code, NULL, what, "%s", strerror(code));
}

/* Replaces the file at once. What others could write, rooftop would refuse to read. */
static int replace_config(const char *path, const char *text, struct error *err)
{
    char temp[PATH_SIZE + TEMPORARY_MORE];
    struct stat st;
    const int fd = temporary_file(path, temp, sizeof temp);
    if (fd < 0)
        return refuse_writing(path, -fd, err);
    const mode_t mode = stat(path, &st) == 0 ? st.st_mode & 0755 : 0600;
    const size_t n = strlen(text);
    int code = 0;
    if (fchmod(fd, mode) != 0 || write(fd, text, n) != (ssize_t)n || fsync(fd) != 0 ||
        rename(temp, path) != 0)
        code = errno ? errno : EIO;
    if (code)
        unlink(temp);
    close(fd);
    return code ? refuse_writing(path, code, err) : 0;
}

/* The file itself where the path is a link. The caller frees it. */
static char *config_file(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : xstrdup(path);
}

int config_keep(const char *path, const struct config_setting *list, size_t n, struct error *err)
{
    char *text = NULL, *file = config_file(path);
    size_t size = 0;
    int rc = 0;
    if (access(file, F_OK) == 0)
        rc = text_file_read_most(&text, &size, file, FILE_MOST, err);
    else
        make_config_folders(file);
    if (!text && rc == 0)
        text = xstrdup("");
    for (size_t i = 0; i < n && rc == 0; i++) {
        char *next = config_with(text, &list[i], err);
        free(text);
        text = next;
        rc = next ? 0 : -EINVAL;
    }
    if (rc == 0)
        rc = replace_config(file, text, err);
    free(text);
    free(file);
    return rc;
}
