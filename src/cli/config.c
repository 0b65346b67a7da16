/*
 * The configuration is a flat list of keys, so this reads the flat part of TOML 1.0 (comments, bare
 * and quoted keys, strings, numbers, booleans) and refuses the rest by name. No dependency is
 * loaded for it: it is read before the first frame.
 */
#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "cli/options.h"

enum { FILE_MAX = 1 << 16, TEXT_MAX = 4096 };

struct reader {
    const char *path, *p, *line_start;
    int line;
    bool seen[64]; /* by row of option_table */
    struct error *err;
};

static int malformed(const struct reader *r, const char *help, const char *why, const char *detail)
{
    char where[192];
    snprintf(where, sizeof where, "%.150s:%d:%d", r->path, r->line,
             (int)(r->p - r->line_start) + 1);
    return error_set(r->err, ERROR_INPUT, EINVAL, help, where, why, detail);
}

static void skip_blanks(struct reader *r)
{
    while (*r->p == ' ' || *r->p == '\t')
        r->p++;
}

/* --- strings --- */

static bool put(char *out, size_t *n, uint32_t ch)
{
    char buf[4];
    size_t len = 1;
    if (ch >= 0x110000 || (ch >= 0xd800 && ch <= 0xdfff) || ch == 0)
        return false;
    if (ch < 0x80) {
        buf[0] = (char)ch;
    } else {
        len = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
        for (size_t i = len; i-- > 1; ch >>= 6)
            buf[i] = (char)(0x80 | (ch & 0x3f));
        static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        buf[0] = (char)(lead[len] | ch);
    }
    if (*n + len >= TEXT_MAX)
        return false;
    memcpy(out + *n, buf, len);
    *n += len;
    return true;
}

/* r->p is behind the backslash; moves it behind the escape. */
static bool read_escape(struct reader *r, char *out, size_t *n)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    const char *at = *r->p ? strchr(from, *r->p) : NULL;
    if (at) {
        r->p++;
        return put(out, n, (unsigned char)to[at - from]);
    }
    int digits = *r->p == 'u' ? 4 : *r->p == 'U' ? 8 : 0;
    uint32_t ch = 0;
    if (digits)
        r->p++;
    for (int i = 0; i < digits; i++, r->p++) {
        if (!isxdigit((unsigned char)*r->p))
            return false;
        char c = (char)tolower((unsigned char)*r->p);
        ch = ch * 16 + (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return digits && put(out, n, ch);
}

static int read_string(struct reader *r, char *out)
{
    char quote = *r->p;
    size_t n = 0;
    if (r->p[1] == quote && r->p[2] == quote)
        return malformed(r, "write it on one line", "a multi-line string%s is not used here", "");
    for (r->p++; *r->p != quote;) {
        if (*r->p == 0 || *r->p == '\n')
            return malformed(r, "close it on the same line", "the string is not closed%s", "");
        if ((unsigned char)*r->p < ' ' && *r->p != '\t')
            return malformed(r, "write it as \\uXXXX", "a control character%s in a string", "");
        if (*r->p == '\\' && quote == '"') {
            r->p++;
            if (!read_escape(r, out, &n))
                return malformed(r, "use '...' for a backslash that means itself",
                                 "an escape%s that TOML does not know", "");
            continue;
        }
        if (n + 1 >= TEXT_MAX)
            return malformed(r, NULL, "the string is too long%s", "");
        out[n++] = *r->p++;
    }
    r->p++;
    out[n] = 0;
    return 0;
}

/* --- a line --- */

static int read_key(struct reader *r, char *out)
{
    if (*r->p == '[')
        return malformed(r, "put every key at the top level", "no table%s belongs here", "");
    if (*r->p == '"' || *r->p == '\'')
        return read_string(r, out);
    size_t n = 0;
    while (n + 1 < TEXT_MAX && (isalnum((unsigned char)*r->p) || *r->p == '-' || *r->p == '_'))
        out[n++] = *r->p++;
    out[n] = 0;
    if (n == 0)
        return malformed(r, "write key = value", "a key is expected%s", "");
    if (*r->p == '.')
        return malformed(r, "put every key at the top level", "no dotted key%s belongs here", "");
    return 0;
}

static int read_value(struct reader *r, char *out)
{
    if (*r->p == '"' || *r->p == '\'')
        return read_string(r, out);
    if (*r->p == '[' || *r->p == '{')
        return malformed(r, "write one string, number or boolean", "neither an array%s nor a table",
                         "");
    size_t n = 0;
    bool number = isdigit((unsigned char)*r->p) || *r->p == '+' || *r->p == '-';
    for (; isalnum((unsigned char)*r->p) || (*r->p && strchr("+-._", *r->p)); r->p++)
        if (n + 1 < TEXT_MAX && !(number && *r->p == '_')) /* 1_000 */
            out[n++] = *r->p;
    out[n] = 0;
    if (n == 0)
        return malformed(r, "write key = value", "a value is expected%s", "");
    char *end;
    (void)strtod(out, &end);
    if (strcmp(out, "true") != 0 && strcmp(out, "false") != 0 && (!number || *end))
        return malformed(r, "put text in quotes", "'%.80s' is no TOML value", out);
    return 0;
}

static int unknown_key(struct reader *r, const char *key)
{
    const char *names[64];
    char help[128] = "rooftop --help and the manual list the keys";
    size_t n = 0;
    for (const struct option_def *d = option_table; d->name && n < 64; d++)
        if (d->config)
            names[n++] = d->name;
    const char *near = option_nearest(key, names, n);
    if (near)
        snprintf(help, sizeof help, "did you mean '%s'?", near);
    else if (option_find(key))
        snprintf(help, sizeof help, "give it on the command line: --%s", option_find(key)->name);
    return malformed(r, help, "unknown key '%.80s'", key);
}

/* A metrics file is named relative to the configuration; ~/ is the home. */
static void beside(const char *config, char *text)
{
    char full[TEXT_MAX];
    const char *home = env_get("HOME"), *slash = strrchr(config, '/');
    int n = 0;
    if (text[0] == '~' && text[1] == '/' && home)
        n = snprintf(full, sizeof full, "%s%s", home, text + 1);
    else if (text[0] && text[0] != '/' && slash)
        n = snprintf(full, sizeof full, "%.*s/%s", (int)(slash - config), config, text);
    if (n > 0 && (size_t)n < sizeof full)
        memcpy(text, full, (size_t)n + 1);
}

static int read_pair(struct reader *r, config_sink sink, void *ctx)
{
    char key[TEXT_MAX], text[TEXT_MAX], where[256];
    struct reader start = *r;
    int rc = read_key(r, key);
    if (rc != 0)
        return rc;
    const struct option_def *d = option_find(key);
    if (!d || !d->config)
        return unknown_key(&start, key);
    if (r->seen[d - option_table])
        return malformed(&start, "remove one of them", "'%s' is there twice", key);
    r->seen[d - option_table] = true;
    skip_blanks(r);
    if (*r->p != '=')
        return malformed(r, "write key = value", "'=' is expected after '%.80s'", key);
    r->p++;
    skip_blanks(r);
    snprintf(where, sizeof where, "%.150s:%d:%d %s", r->path, r->line,
             (int)(r->p - r->line_start) + 1, d->name);
    rc = read_value(r, text);
    if (rc != 0)
        return rc;
    if (strcmp(d->name, "metrics") == 0)
        beside(r->path, text);
    return sink(ctx, d->name, text, where, r->err);
}

static int read_lines(struct reader *r, config_sink sink, void *ctx)
{
    while (*r->p) {
        skip_blanks(r);
        if (*r->p && !strchr("#\r\n", *r->p)) {
            int rc = read_pair(r, sink, ctx);
            if (rc != 0)
                return rc;
            skip_blanks(r);
        }
        if (*r->p == '#')
            r->p += strcspn(r->p, "\n");
        if (*r->p == '\r' && r->p[1] == '\n')
            r->p++;
        if (*r->p && *r->p != '\n')
            return malformed(r, "one key a line", "more than a value%s on the line", "");
        if (*r->p) {
            r->line_start = ++r->p;
            r->line++;
        }
    }
    return 0;
}

/* --- the file --- */

const char *config_usual_path(char *out, unsigned long size)
{
    const char *base = env_get("XDG_CONFIG_HOME"), *home = env_get("HOME");
    *out = 0;
    if (base && base[0] == '/')
        snprintf(out, size, "%s/rooftop/config.toml", base);
    else if (home)
        snprintf(out, size, "%s/.config/rooftop/config.toml", home);
    return out;
}

static int unreadable(const char *path, int code, struct error *err)
{
    char what[192];
    snprintf(what, sizeof what, "configuration %.150s", path);
    return error_set(err, ERROR_INPUT, code, "name another with --config, or use --no-config", what,
                     "%s", strerror(code));
}

int config_read(const char *path, config_sink sink, void *ctx, struct error *err)
{
    char usual[4096];
    bool asked = path != NULL;
    if (!asked)
        path = config_usual_path(usual, sizeof usual);
    FILE *f = *path ? fopen(path, "re") : NULL;
    if (!f)
        return asked || (errno != ENOENT && errno != ENOTDIR && *path)
                   ? unreadable(path, errno, err)
                   : 0;
    char *text = xcalloc(FILE_MAX + 1, 1);
    errno = 0;
    size_t n = fread(text, 1, FILE_MAX, f);
    int code = ferror(f) ? errno : n == FILE_MAX ? EFBIG : 0;
    fclose(f);
    struct reader r = {.path = path, .p = text, .line_start = text, .line = 1, .err = err};
    int rc;
    if (code)
        rc = unreadable(path, code, err);
    else if (strlen(text) != n)
        rc = unreadable(path, EILSEQ, err);
    else
        rc = read_lines(&r, sink, ctx);
    free(text);
    return rc;
}
