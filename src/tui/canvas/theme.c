#include "tui/canvas/theme.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "tui/canvas/canvas_impl.h"

enum { MAX_BYTES = 256 * 1024 };

static int key_index(const char *name, size_t n)
{
    for (int i = 0; theme_keys[i].name; i++)
        if (n && theme_keys[i].name[0] == name[0] && strlen(theme_keys[i].name) == n &&
            memcmp(theme_keys[i].name, name, n) == 0)
            return i;
    return -1;
}

/* "#RRGGBB" or "#BW" (one grey repeated). */
static bool parse_hex(const char *s, size_t n, int32_t *out)
{
    int32_t v = 0;
    if (n != 3 && n != 7)
        return false;
    for (size_t i = 1; i < n; i++) {
        int d = ascii_hex(s[i]);
        if (d < 0)
            return false;
        v = v << 4 | d;
    }
    *out = n == 3 ? v << 16 | v << 8 | v : v;
    return true;
}

/* "R G B", decimals 0..255. */
static bool parse_decimal(const char *s, size_t n, int32_t *out)
{
    char buf[32];
    unsigned r, g, b;
    char rest;
    if (n >= sizeof buf)
        return false;
    memcpy(buf, s, n);
    buf[n] = '\0';
    if (sscanf(buf, "%3u %3u %3u %c", &r, &g, &b, &rest) != 3 || r > 255 || g > 255 || b > 255)
        return false;
    *out = (int32_t)(r << 16 | g << 8 | b);
    return true;
}

static bool parse_value(const char *s, size_t n, int32_t *out)
{
    while (n && (s[n - 1] == '\r' || s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    if (n == 0) {
        *out = THEME_EMPTY;
        return true;
    }
    return *s == '#' ? parse_hex(s, n, out) : parse_decimal(s, n, out);
}

static int bad_line(struct error *err, const char *what, int line, const char *why)
{
    char where[192];
    snprintf(where, sizeof where, "%.150s:%d", what, line);
    return error_set(err, ERROR_INPUT, EINVAL, "a line reads theme[KEY]=\"#RRGGBB\"", where, "%s",
                     why);
}

/*
 * Parses the line [s, end). Like btop, it ignores the word before '[' and anything after the
 * closing quote.
 */
static int parse_line(struct theme *t, const char *s, const char *end, const char *what, int line,
                      struct error *err)
{
    if (s == end || *s == '#' || *s == '\r')
        return 0;
    const char *open = memchr(s, '[', (size_t)(end - s));
    if (!open) {
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
            s++;
        return s == end ? 0 : bad_line(err, what, line, "no theme[KEY] in this line");
    }
    const char *close = memchr(open, ']', (size_t)(end - open));
    const char *equals = close ? memchr(close, '=', (size_t)(end - close)) : NULL;
    if (!equals)
        return bad_line(err, what, line, close ? "'=' is missing" : "']' is missing");
    const char *v = equals + 1;
    while (v < end && (*v == ' ' || *v == '\t'))
        v++;
    const char *v_end = end;
    if (v < end && *v == '"') {
        v++;
        v_end = memchr(v, '"', (size_t)(end - v));
        if (!v_end)
            return bad_line(err, what, line, "the closing quote is missing");
    }
    int key = key_index(open + 1, (size_t)(close - open - 1));
    if (key < 0)
        return 0; /* a key of a newer btop */
    if (!parse_value(v, (size_t)(v_end - v), &t->color[key]))
        return bad_line(err, what, line, "not a colour: #RRGGBB, #GG, \"R G B\" or empty");
    t->given++;
    return 0;
}

/*
 * Fills in keys that the file lacks. Chains of fallbacks end, because the table only refers to
 * earlier rows.
 */
static void fill_in(struct theme *t)
{
    for (int i = 0; theme_keys[i].name; i++) {
        const char *f = theme_keys[i].fallback;
        if (t->color[i] != THEME_ABSENT)
            continue;
        if (*f == '#')
            parse_hex(f, strlen(f), &t->color[i]);
        else
            t->color[i] = t->color[key_index(f, strlen(f))];
        /*
         * An empty colour means "single" or "none" for the key that has it; as a fallback for
         * another key it is useless.
         */
        if (t->color[i] == THEME_EMPTY && strncmp(theme_keys[i].name, "rooftop_", 8) == 0)
            t->color[i] = t->color[key_index("hi_fg", 5)];
    }
}

/*
 * Themes of rooftop describe themselves in their first line; for others the background tells dark
 * from light.
 */
static void describe_theme(struct theme *t, const char *text, size_t len)
{
    static const char head[] = "# rooftop: ";
    size_t n = sizeof head - 1, end = n;
    if (len > n && memcmp(text, head, n) == 0) {
        while (end < len && text[end] != '\n' && end - n < sizeof t->about - 1)
            end++;
        memcpy(t->about, text + n, end - n);
        return;
    }
    int32_t bg = theme_color(t, "main_bg"), fg = theme_color(t, "main_fg");
    int sum = bg >= 0 ? (bg >> 16 & 0xff) + (bg >> 8 & 0xff) + (bg & 0xff)
                      : 765 - (fg >> 16 & 0xff) - (fg >> 8 & 0xff) - (fg & 0xff);
    snprintf(t->about, sizeof t->about, "%s", sum > 382 ? "light" : "dark");
}

int theme_parse(struct theme **out, const char *text, size_t len, const char *what,
                struct error *err)
{
    *out = NULL;
    if (len > MAX_BYTES)
        return bad_line(err, what, 1, "larger than 256 KiB: not a theme");
    struct theme *t = xcalloc(1, sizeof *t);
    for (int i = 0; i < THEME_KEYS_MAX; i++)
        t->color[i] = THEME_ABSENT;
    const char *end = text + len;
    int line = 1, rc = 0;
    for (const char *s = text; s < end && rc == 0; line++) {
        const char *nl = memchr(s, '\n', (size_t)(end - s));
        const char *stop = nl ? nl : end;
        rc = parse_line(t, s, stop, what, line, err);
        s = stop + 1;
    }
    if (rc == 0 && t->given == 0)
        rc = bad_line(err, what, 1, "holds no theme[KEY] line");
    if (rc != 0) {
        free(t);
        return rc;
    }
    fill_in(t);
    theme_resolve(t);
    snprintf(t->name, sizeof t->name, "%s", what);
    describe_theme(t, text, len);
    *out = t;
    return 0;
}

void theme_free(struct theme *t)
{
    free(t);
}

const char *theme_about(const struct theme *t)
{
    return t->about;
}

int32_t theme_color(const struct theme *t, const char *key)
{
    int i = key_index(key, strlen(key));
    return i < 0 ? THEME_EMPTY : t->color[i];
}
