/* Which calls are wanted: the grammar of --calls. */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "engine/syscalls/calls_impl.h"

enum { WORDS = 16, ITEM = 256 };

struct syscall_filter {
    uint64_t rows[WORDS]; /* a bit for each row of the table */
    bool unknown;         /* whether calls that no row has are wanted */
};

/* The state of reading an expression. */
struct filter_reading {
    const char *text, *at; /* the whole expression; the current item */
    struct syscall_filter in, out;
    bool some; /* an item asked for calls */
    struct error *err;
};

static const struct {
    const char *name;
    unsigned mask;
} classes[] = {
    {"file", SYSCALL_CLASS_FILE},       {"desc", SYSCALL_CLASS_DESC},
    {"descriptor", SYSCALL_CLASS_DESC}, {"memory", SYSCALL_CLASS_MEMORY},
    {"process", SYSCALL_CLASS_PROCESS}, {"network", SYSCALL_CLASS_NETWORK},
    {"net", SYSCALL_CLASS_NETWORK},     {"signal", SYSCALL_CLASS_SIGNAL},
    {"ipc", SYSCALL_CLASS_IPC},         {"creds", SYSCALL_CLASS_CREDS},
    {"clock", SYSCALL_CLASS_CLOCK},     {"stat", SYSCALL_CLASS_STAT},
    {"pure", SYSCALL_CLASS_PURE},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static void mark_filter_row(struct syscall_filter *f, size_t row)
{
    f->rows[row / 64] |= UINT64_C(1) << row % 64;
}

static bool is_filter_row_marked(const struct syscall_filter *f, size_t row)
{
    return f->rows[row / 64] >> row % 64 & 1;
}

static int refuse_filter(const struct filter_reading *r, const char *help, const char *why,
                         const char *what)
{
    char failed[96];
    snprintf(failed, sizeof failed, "calls, character %zu", 1 + (size_t)(r->at - r->text));
    return error_set(r->err, ERROR_USAGE, EINVAL, help, failed, why, what);
}

static int unknown_name(const struct filter_reading *r, const char *name)
{
    struct nearest near;
    char found[NEAREST_MAX * NEAREST_NAME_MAX], help[sizeof found + 32];
    nearest_start(&near, name);
    for (size_t i = 0; syscall_row(i); i++)
        nearest_offer(&near, syscall_row(i)->name);
    for (size_t i = 0; i < CLASSES; i++)
        nearest_offer(&near, classes[i].name);
    bool any = nearest_list(&near, found, sizeof found);
    snprintf(help, sizeof help, "did you mean %s?", found);
    return refuse_filter(
        r, any ? help : "name calls as in their manual pages, or a class such as %file",
        "no call or class is named '%s'", name);
}

/* Marks the calls of a class. Returns false if there is no such class. */
static bool mark_class(struct syscall_filter *f, const char *name)
{
    for (size_t c = 0; c < CLASSES; c++) {
        if (strcmp(name, classes[c].name) != 0)
            continue;
        for (size_t i = 0; syscall_row(i); i++)
            if (syscall_row_classes(syscall_row(i)) & classes[c].mask)
                mark_filter_row(f, i);
        return true;
    }
    return false;
}

static bool mark_call(struct syscall_filter *f, const char *name)
{
    for (size_t i = 0; syscall_row(i); i++)
        if (strcmp(name, syscall_row(i)->name) == 0) {
            mark_filter_row(f, i);
            return true;
        }
    return false;
}

static bool mark_all(struct syscall_filter *f, const char *name)
{
    if (strcmp(name, "all") != 0)
        return false;
    memset(f->rows, 0xff, sizeof f->rows);
    f->unknown = true;
    return true;
}

static int mark_matching(struct filter_reading *r, struct syscall_filter *f, const char *pattern)
{
    regex_t regex;
    int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char why[128];
        regerror(code, &regex, why, sizeof why);
        return refuse_filter(r, "write an extended regular expression between slashes",
                             "bad regular expression: %s", why);
    }
    for (size_t i = 0; syscall_row(i); i++)
        if (regexec(&regex, syscall_row(i)->name, 0, NULL, 0) == 0)
            mark_filter_row(f, i);
    regfree(&regex);
    return 0;
}

/* Reads an item, without its "!". "%stat" is a class, "stat" too if there is no such call. */
static int read_filter_item(struct filter_reading *r, struct syscall_filter *f, char *item)
{
    size_t n = strlen(item);
    if (item[0] == '/') {
        if (n < 3 || item[n - 1] != '/')
            return refuse_filter(r, "close it: /futex/",
                                 "a regular expression has no slash at its end: '%s'", item);
        item[n - 1] = 0;
        return mark_matching(r, f, item + 1);
    }
    if (item[0] == '%')
        return mark_class(f, item + 1) ? 0 : unknown_name(r, item + 1);
    bool optional = item[0] == '?'; /* no error if the table lacks it */
    if (mark_call(f, item + optional) || mark_class(f, item) || mark_all(f, item) || optional)
        return 0;
    return unknown_name(r, item);
}

/* The end of the item at text: a comma, but not within a regular expression. */
static const char *item_end(const char *text)
{
    const char *p = text + (*text == '!');
    if (*p == '/') {
        p++;
        while (*p && !(*p == '/' && (p[1] == ',' || !p[1])))
            p++;
    }
    return p + strcspn(p, ",");
}

static int read_filter_items(struct filter_reading *r)
{
    for (const char *end;; r->at = end + 1) {
        char item[ITEM];
        end = item_end(r->at);
        size_t n = (size_t)(end - r->at);
        bool not = *r->at == '!';
        if (n <= (size_t) not || n >= sizeof item)
            return refuse_filter(r, "write names of calls with commas between them", "%s",
                                 n >= sizeof item ? "the name is too long" : "a name is missing");
        memcpy(item, r->at, n);
        item[n] = 0;
        r->some |= !not ;
        int rc = read_filter_item(r, not ? &r->out : &r->in, item + not );
        if (rc < 0 || !*end)
            return rc;
    }
}

struct syscall_filter *syscall_filter_parse(const char *text, struct error *err)
{
    struct filter_reading r = {.text = text, .at = text, .err = err};
    if (strncmp(text, "trace=", 6) == 0)
        r.at += 6;
    if (read_filter_items(&r) < 0)
        return NULL;
    struct syscall_filter *f = calloc(1, sizeof *f);
    if (!f) {
        error_set(err, ERROR_INTERNAL, ENOMEM, NULL, "calls", "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < WORDS; i++)
        f->rows[i] = (r.some ? r.in.rows[i] : UINT64_MAX) & ~r.out.rows[i];
    f->unknown = (!r.some || r.in.unknown) && !r.out.unknown;
    return f;
}

bool syscall_filter_wants(const struct syscall_filter *f, unsigned abi, uint32_t number)
{
    if (!f)
        return true;
    const struct syscall_call *call = syscall_find(abi, number);
    return call ? is_filter_row_marked(f, (size_t)(call - syscall_row(0))) : f->unknown;
}

void syscall_filter_free(struct syscall_filter *f)
{
    free(f);
}
