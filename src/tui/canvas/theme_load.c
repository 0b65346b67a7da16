#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/order.h"
#include "tui/canvas/canvas_impl.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): names and pieces of strings cannot stand in parentheses
 */
/* The files in themes/ are embedded, so that the program needs no installation to look right. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n.global " #symbol "\n" #symbol ":\n.incbin \"themes/" file      \
            "\"\n.byte 0\n.popsection\n");                                                         \
    extern const char symbol[]

/* One line per theme; the first is the default. */
#define THEMES(X)                                                                                  \
    X(dark, "rooftop-dark")                                                                        \
    X(ember, "rooftop-ember")                                                                      \
    X(harbor, "rooftop-harbor")                                                                    \
    X(moss, "rooftop-moss")                                                                        \
    X(light, "rooftop-light")                                                                      \
    X(paper, "rooftop-paper")                                                                      \
    X(contrast, "rooftop-contrast")                                                                \
    X(contrast_light, "rooftop-contrast-light")                                                    \
    X(safe_dark, "rooftop-safe-dark")                                                              \
    X(safe_light, "rooftop-safe-light")

#define EMBED_ONE(symbol, name) EMBED(theme_text_##symbol, name ".theme");
THEMES(EMBED_ONE)

static const struct {
    const char *name, *text;
} builtin[] = {
#define ROW(symbol, name) {name, theme_text_##symbol},
    THEMES(ROW)
#undef ROW
};
/* NOLINTEND(bugprone-macro-parentheses) */

/* btop's names for its built-in themes. */
static const struct {
    const char *name, *stands_for;
} aliases[] = {{"Default", "rooftop-dark"}, {"TTY", "rooftop-dark"}};

enum { BUILTINS = sizeof builtin / sizeof *builtin, MAX_FILE = 256 * 1024, MAX_THEMES = 1024 };

/* The i-th folder in which themes are searched; NULL past the end. */
static const char *search_dir(int i, char *out, size_t size)
{
    const char *config = env_get("XDG_CONFIG_HOME"), *data = env_get("XDG_DATA_HOME");
    const char *home = env_get("HOME");
    if (!home)
        home = "/nonexistent";
    static const char *const fixed[] = {"/usr/local/share/rooftop/themes",
                                        "/usr/share/rooftop/themes", "/usr/local/share/btop/themes",
                                        "/usr/share/btop/themes"};
    switch (i) {
    case 0:
    case 2:
        snprintf(out, size, "%s%s/%s/themes", config ? config : home, config ? "" : "/.config",
                 i == 0 ? "rooftop" : "btop");
        return out;
    case 1:
        snprintf(out, size, "%s%s/rooftop/themes", data ? data : home, data ? "" : "/.local/share");
        return out;
    default:
        if (i - 3 >= (int)(sizeof fixed / sizeof *fixed))
            return NULL;
        snprintf(out, size, "%s", fixed[i - 3]);
        return out;
    }
}

static int load_file(struct theme **out, const char *path, struct error *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    char *text = xcalloc(MAX_FILE + 1, 1);
    size_t n = fread(text, 1, MAX_FILE + 1, f);
    bool failed = ferror(f);
    fclose(f);
    int rc = failed ? error_set(err, ERROR_INPUT, EISDIR, "name a .theme file", path,
                                "cannot be read as a file")
                    : theme_parse(out, text, n, path, err);
    free(text);
    return rc;
}

/* What is embedded; "light" stands for rooftop-light where no file has that name. NULL: none. */
static const char *embedded_theme(const char *name, bool short_name)
{
    const size_t skip = short_name ? strlen("rooftop-") : 0;
    for (int i = 0; i < BUILTINS; i++)
        if (strcmp(name, builtin[i].name + skip) == 0)
            return builtin[i].text;
    return NULL;
}

static int refuse_unknown_theme(const char *name, struct error *err)
{
    char what[192], help[320] = "built in are";
    snprintf(what, sizeof what, "theme '%.150s'", name);
    for (int i = 0; i < BUILTINS; i++) {
        size_t n = strlen(help);
        snprintf(help + n, sizeof help - n, "%s %s", i ? "," : "", builtin[i].name);
    }
    return error_set(err, ERROR_INPUT, ENOENT, help, what,
                     "no such file, nor a theme of that name in the search path");
}

int theme_load(struct theme **out, const char *name, struct error *err)
{
    char dir[3072], path[4096];
    *out = NULL;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0)
            name = aliases[i].stands_for;
    const char *text = embedded_theme(name, false);
    if (text)
        return theme_parse(out, text, strlen(text), name, err);
    if (strchr(name, '/'))
        return load_file(out, name, err);
    for (int i = 0; search_dir(i, dir, sizeof dir); i++) {
        snprintf(path, sizeof path, "%s/%s.theme", dir, name);
        struct stat st;
        if (stat(path, &st) != 0)
            snprintf(path, sizeof path, "%s/%s", dir, name);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            int rc = load_file(out, path, err);
            if (rc == 0)
                snprintf((*out)->name, sizeof(*out)->name, "%s", name);
            return rc;
        }
    }
    struct stat st;
    if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
        return load_file(out, name, err);
    text = embedded_theme(name, true);
    return text ? theme_parse(out, text, strlen(text), name, err) : refuse_unknown_theme(name, err);
}

static size_t add_dir(const char *dir, char ***names, size_t n)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    while (d && n < MAX_THEMES && (e = readdir(d))) {
        size_t len = strlen(e->d_name);
        if (len <= 6 || strcmp(e->d_name + len - 6, ".theme") != 0)
            continue;
        *names = xrealloc(*names, n + 1, sizeof **names);
        (*names)[n] = xstrdup(e->d_name);
        (*names)[n++][len - 6] = '\0';
    }
    if (d)
        closedir(d);
    return n;
}

const char *theme_builtin(size_t i)
{
    return i < BUILTINS ? builtin[i].name : NULL;
}

size_t theme_list(char ***names)
{
    char dir[3072];
    size_t n = 0, kept = 0;
    *names = xcalloc(BUILTINS, sizeof **names);
    for (; n < BUILTINS; n++)
        (*names)[n] = xstrdup(builtin[n].name);
    for (int i = 0; search_dir(i, dir, sizeof dir); i++)
        n = add_dir(dir, names, n);
    qsort(*names + BUILTINS, n - BUILTINS, sizeof **names, order_texts);
    for (size_t i = 0; i < n; i++) {
        bool twice = kept && strcmp((*names)[kept - 1], (*names)[i]) == 0;
        for (size_t k = 0; i >= BUILTINS && k < BUILTINS; k++)
            /* an installed copy of a built-in theme */
            twice |= strcmp((*names)[k], (*names)[i]) == 0;
        if (twice)
            free((*names)[i]);
        else
            (*names)[kept++] = (*names)[i];
    }
    return kept;
}
