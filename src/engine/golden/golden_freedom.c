/* Finds the differences between two runs of one command, which are free in its golden trace. raw:
 * patterns are kept, and printed by golden_write. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "engine/golden/golden_diff.h"
#include "engine/golden/golden_impl.h"

#define THREADS "threads"
static const char why_threads[] =
    "which of its threads makes a call, and in which order, is chance";
static const char why_differs[] = "it differs from run to run";
static const char why_names[] = "files that it makes have other names in each run";

/* --- which lines are alike --- */

static bool is_effects(const char *title)
{
    return strcmp(title, "effects") == 0;
}

/* The length of the subject of an effect's line: "stdout", "file a", "removed: a", "renamed: a". */
static size_t effect_subject(const char *line)
{
    const char *at = strstr(line, ": ");
    if (!at)
        return strlen(line);
    if (isdigit((unsigned char)at[2]) && strstr(at, " bytes"))
        return (size_t)(at - line);
    const char *comma = strstr(at, ", "), *arrow = strstr(at, " -> ");
    const char *end = comma && (!arrow || comma < arrow) ? comma : arrow;
    return end ? (size_t)(end - line) : strlen(line);
}

/* The length of the subject of a line: "stdout", "write(<stdout>", with the path if the call begins
 * with AT_FDCWD. */
static size_t subject_length(const char *title, const char *line)
{
    if (is_effects(title))
        return effect_subject(line);
    size_t n = strcspn(line, "(");
    int args = strncmp(line + n, "(AT_FDCWD,", 10) == 0 ? 2 : 1;
    bool quoted = false;
    for (; line[n]; n++) {
        quoted ^= line[n] == '"' && line[n - 1] != '\\';
        if (!quoted && (line[n] == ',' || line[n] == ')') && --args == 0)
            break;
    }
    return n;
}

/* A subject that ends with '/' stands for each name in that folder. */
static bool is_subject(const char *title, const char *line, const char *subject)
{
    size_t n = strlen(subject);
    if (strncmp(line, subject, n) != 0)
        return false;
    size_t all = subject_length(title, line);
    return subject[n - 1] == '/' ? all > n && !memchr(line + n, '/', all - n) : all == n;
}

static bool has_subject(const struct golden_section *s, const char *subject)
{
    for (size_t i = 0; s && i < s->n; i++)
        if (is_subject(s->title, s->lines[i], subject))
            return true;
    return false;
}

/* The subject of a line of one run. If the other run has no such line, names vary between runs, and
 * the folder is the subject. */
static char *cut_line_subject(const char *title, const char *line,
                              const struct golden_section *other)
{
    char *subject = xstrdup(line), *slash;
    subject[subject_length(title, line)] = '\0';
    if (!has_subject(other, subject) && (slash = strrchr(subject, '/')))
        slash[1] = '\0';
    return subject;
}

/* --- freedoms --- */

void golden_freedom_add(struct golden *g, const char *section, const char *what, const char *why)
{
    for (size_t i = 0; i < g->nfreedoms; i++)
        if (strcmp(g->freedoms[i].section, section) == 0 && strcmp(g->freedoms[i].what, what) == 0)
            return;
    g->freedoms = xrealloc(g->freedoms, g->nfreedoms + 1, sizeof *g->freedoms);
    g->freedoms[g->nfreedoms++] =
        (struct golden_freedom){xstrdup(section), xstrdup(what), xstrdup(why)};
    g->news++;
}

/* --- names of files that the run makes --- */

static bool is_digits(const char *from, const char *to)
{
    while (from < to && isdigit((unsigned char)*from))
        from++;
    return from == to;
}

/* Writes a name as text in a pattern: its special characters become "?". */
static void write_literal(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputc(strchr("*?[\\", text[i]) ? '?' : text[i], out);
}

/* Appends a pattern of two different path components: their common beginning and end, without a
 * letter and all digits next to the difference, which may be equal by chance. */
static void write_pattern(FILE *out, const char *a, size_t n, const char *b, size_t m)
{
    const size_t shorter = n < m ? n : m;
    size_t head = 0, tail = 0;
    while (head < shorter && a[head] == b[head])
        head++;
    while (tail < shorter - head && a[n - 1 - tail] == b[m - 1 - tail])
        tail++;
    while (head && isdigit((unsigned char)a[head - 1]))
        head--;
    while (tail && isdigit((unsigned char)a[n - tail]))
        tail--;
    const bool digits = is_digits(a + head, a + n - tail) && is_digits(b + head, b + m - tail);
    head -= head && !digits && isalnum((unsigned char)a[head - 1]);
    tail -= tail && !digits && isalnum((unsigned char)a[n - tail]);
    write_literal(out, a, head);
    for (size_t i = head; !digits && n == m && i < n - tail; i++)
        fputc('?', out);
    if (digits || n != m)
        fputs(digits ? "[0-9]*" : "*", out);
    write_literal(out, a + n - tail, tail);
}

/* ".txt"; "" where the last name has none. */
static const char *find_name_end(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot : "";
}

static bool ends_alike(const char *a, const char *b)
{
    return strcmp(find_name_end(a), find_name_end(b)) == 0;
}

/* How similar two paths are: by components in common, then the ending, then the length; 0: the
 * numbers of components differ. */
static int rate_path_likeness(const char *a, const char *b)
{
    int like = 1 + 2 * ends_alike(a, b) + (strlen(a) == strlen(b));
    for (;;) {
        const size_t n = strcspn(a, "/"), m = strcspn(b, "/");
        like += n == m && memcmp(a, b, n) == 0 ? 4 : 0;
        if (!a[n] || !b[m])
            return a[n] == b[m] ? like : 0;
        a += n + 1;
        b += m + 1;
    }
}

/* A pattern that both paths match; the caller frees it. */
static char *pattern_of(const char *a, const char *b)
{
    char *pattern = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&pattern, &size);
    if (!out)
        abort();
    for (;;) {
        const size_t n = strcspn(a, "/"), m = strcspn(b, "/");
        if (n == m && memcmp(a, b, n) == 0)
            write_literal(out, a, n);
        else
            write_pattern(out, a, n, b, m);
        if (!a[n])
            break;
        fputc('/', out);
        a += n + 1;
        b += m + 1;
    }
    fclose(out);
    return pattern;
}

static bool has_made(const struct golden *g, const char *name)
{
    return g->nmade && bsearch(&name, g->made, g->nmade, sizeof *g->made, order_texts);
}

static struct golden_freedom *freedom_named(const struct golden *g, const char *what)
{
    for (size_t i = 0; i < g->nfreedoms; i++)
        if (strcmp(g->freedoms[i].section, GOLDEN_NAMES) == 0 &&
            strcmp(g->freedoms[i].what, what) == 0)
            return &g->freedoms[i];
    return NULL;
}

/* The pattern that the name matches, or NULL. */
static const char *pattern_for(const struct golden *stored, const char *name)
{
    for (size_t i = 0; i < stored->nfreedoms; i++)
        if (strcmp(stored->freedoms[i].section, GOLDEN_NAMES) == 0 &&
            fnmatch(stored->freedoms[i].what, name, FNM_PATHNAME | FNM_NOESCAPE) == 0)
            return stored->freedoms[i].what;
    return NULL;
}

/* Frees a name that only this run made, together with the most similar name that only the other run
 * made. A former pattern that was too narrow is replaced. */
static void free_name(struct golden *g, const char *name, const struct golden *again)
{
    const char *best = NULL;
    int most = 0;
    for (size_t i = 0; i < again->nmade; i++) {
        const int like = has_made(g, again->made[i]) ? 0 : rate_path_likeness(name, again->made[i]);
        if (like > most) {
            most = like;
            best = again->made[i];
        }
    }
    struct golden_freedom *known = freedom_named(g, name);
    if (!best || (!known && pattern_for(g, name)))
        return;
    char *pattern = pattern_of(name, best);
    if (known) {
        free(known->what);
        known->what = pattern;
        g->news++;
        return;
    }
    golden_freedom_add(g, GOLDEN_NAMES, pattern, why_names);
    free(pattern);
}

static void free_names(struct golden *g, const struct golden *again)
{
    for (size_t i = 0; i < g->nmade; i++)
        if (!has_made(again, g->made[i]))
            free_name(g, g->made[i], again);
}

/* Replaces names that g's run made by patterns of `stored`. */
static void replace_names(struct golden *g, const struct golden *stored)
{
    struct golden_swap *swaps = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < g->nmade; i++) {
        const char *pattern = pattern_for(stored, g->made[i]);
        if (pattern)
            LIST_ADD(swaps, n, cap, ((struct golden_swap){xstrdup(g->made[i]), xstrdup(pattern)}));
    }
    golden_swap_all(g, swaps, n);
    golden_swaps_free(swaps, n);
    if (n && g->nmade > 1)
        qsort(g->made, g->nmade, sizeof *g->made, order_texts);
    if (n)
        golden_effects_sort(g);
}

/* --- threads --- */

/* Whether the section is of a further thread of the process. */
static bool is_thread_of(const char *title, const char *process)
{
    size_t n = strlen(process);
    return strncmp(title, process, n) == 0 && strncmp(title + n, " thread ", 8) == 0;
}

/* Removes the number of the thread, and the numbers of pipes, sockets and the like: "<pipe 2 of
 * process 1.1 thread 3>". */
static void drop_line_numbers(char *line)
{
    static const char digits[] = "0123456789";
    char *out = line;
    for (const char *p = line; *p;) {
        const bool of_thread = strncmp(p, " thread ", 8) == 0 && strspn(p + 8, digits);
        const size_t word = *p == '<' ? strcspn(p, " />") : 0;
        if (of_thread) {
            p += 8 + strspn(p + 8, digits);
        } else if (word && p[word] == ' ' && strspn(p + word + 1, digits)) {
            memmove(out, p, word);
            out += word;
            p += word + 1 + strspn(p + word + 1, digits);
        } else {
            *out++ = *p++;
        }
    }
    *out = '\0';
}

/* Each line once, sorted: the number of repetitions in a thread varies by chance, too. */
static void sort_unique(struct golden_section *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        drop_line_numbers(s->lines[i]);
    if (s->n > 1)
        qsort(s->lines, s->n, sizeof *s->lines, order_texts);
    for (size_t i = 0; i < s->n; i++)
        if (kept && strcmp(s->lines[kept - 1], s->lines[i]) == 0)
            free(s->lines[i]);
        else
            s->lines[kept++] = s->lines[i];
    s->n = kept;
}

/* Puts the lines of all threads of a process into its first section. */
static void merge_threads(struct golden *g, const char *process)
{
    struct golden_section *to = (struct golden_section *)golden_section_find(g, process);
    size_t kept = 0;
    if (!to)
        to = golden_section_new(g, process);
    size_t at = (size_t)(to - g->sections);
    for (size_t i = 0; i < g->n; i++) {
        struct golden_section *s = &g->sections[i];
        if (!is_thread_of(s->title, process)) {
            at = i == at ? kept : at;
            g->sections[kept++] = *s;
            continue;
        }
        to = &g->sections[at];
        for (size_t k = 0; k < s->n; k++)
            LIST_ADD(to->lines, to->n, to->cap, s->lines[k]);
        free(s->lines);
        free(s->title);
    }
    g->n = kept;
    sort_unique(&g->sections[at]);
}

static void drop_lines(struct golden *g, const struct golden_freedom *f)
{
    struct golden_section *s = (struct golden_section *)golden_section_find(g, f->section);
    size_t kept = 0;
    for (size_t i = 0; s && i < s->n; i++)
        if (is_subject(s->title, s->lines[i], f->what))
            free(s->lines[i]);
        else
            s->lines[kept++] = s->lines[i];
    if (s)
        s->n = kept;
}

void golden_free_as(struct golden *g, const struct golden *stored)
{
    replace_names(g, stored);
    for (size_t i = 0; i < stored->nfreedoms; i++)
        if (strcmp(stored->freedoms[i].what, THREADS) == 0)
            merge_threads(g, stored->freedoms[i].section);
    for (size_t i = 0; i < stored->nfreedoms; i++)
        drop_lines(g, &stored->freedoms[i]);
}

/* --- two runs --- */

static bool has_threads(const struct golden *g, const char *process)
{
    for (size_t i = 0; i < g->n; i++)
        if (is_thread_of(g->sections[i].title, process))
            return true;
    return false;
}

/* Frees the order of threads of processes that differ. */
static void free_threads(struct golden *g, const struct golden *again, const struct golden_diff *d)
{
    for (size_t i = 0; i < d->n; i++) {
        char *process = xstrdup(d->list[i].title), *thread = strstr(process, " thread ");
        if (thread)
            *thread = '\0';
        if (!is_effects(process) && (has_threads(g, process) || has_threads(again, process)))
            golden_freedom_add(g, process, THREADS, why_threads);
        free(process);
    }
}

static void free_lines(struct golden *g, const char *title, const struct golden_section *s,
                       size_t from, size_t n, const struct golden_section *other)
{
    for (size_t i = from; s && i < from + n; i++) {
        char *subject = cut_line_subject(title, s->lines[i], other);
        if (*subject)
            golden_freedom_add(g, title, subject, why_differs);
        free(subject);
    }
}

int golden_settle(struct golden *g, struct golden *again, struct error *err)
{
    struct golden_diff d;
    if (strcmp(g->sections[0].lines[0], again->sections[0].lines[0]) != 0)
        return error_set(err, ERROR_INPUT, EINVAL, "make it repeatable, or give --runs 1",
                         "golden trace", "one run %s, another %s", g->sections[0].lines[0],
                         again->sections[0].lines[0]);
    golden_free_as(again, g);
    free_names(g, again);
    replace_names(g, g);
    replace_names(again, g);
    golden_compare(g, again, &d);
    free_threads(g, again, &d);
    golden_diff_free(&d);
    golden_free_as(g, g);
    golden_free_as(again, g);
    golden_compare(g, again, &d);
    for (size_t i = 0; i < d.n; i++) {
        const struct golden_hunk *h = &d.list[i];
        const struct golden_section *a = golden_section_find(g, h->title),
                                    *b = golden_section_find(again, h->title);
        free_lines(g, h->title, a, h->stored_from, h->stored_n, b);
        free_lines(g, h->title, b, h->run_from, h->run_n, a);
    }
    golden_diff_free(&d);
    golden_free_as(g, g);
    return 0;
}
