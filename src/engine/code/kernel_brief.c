#include "engine/code/kernel_brief.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/code/kernel_name.h"

struct brief {
    const char *name;  /* as given: mangled or demangled */
    const char *full;  /* the demangled name; a name in both forms has the same pointer */
    const char *text;  /* the name without namespaces and parameters */
    uint32_t head;     /* bytes of text before its first bracket */
    uint32_t from, to; /* the part of text that differs from other names with the same head; from ==
                          to: none is needed */
};

enum { LEAST_SHARED = 8 }; /* least number of letters that related names without brackets share */

struct briefs {
    struct brief *list; /* sorted by name */
    uint32_t n;
    struct arena memory;
};

/* --- removing namespaces and parameters --- */

static bool is_brief_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Returns what follows the bracket that closes the one at p. */
static const char *skip_past_bracket(const char *p, char open, char close)
{
    int depth = 0;
    for (; *p; p++)
        if (*p == open)
            depth++;
        else if (*p == close && --depth == 0)
            return p + 1;
    return p;
}

/* Returns where the last word begins: at "ns" in "a, ns". A closed bracket belongs to the word. */
static size_t word_begin(const char *out, size_t n)
{
    for (int depth = 0; n; n--) {
        char c = out[n - 1];
        bool opens = c == '<' || c == '(' || c == '{';
        if (depth == 0 && (opens || !(is_brief_letter(c) || c == '>' || c == ')' || c == '}')))
            break;
        depth += (c == '>' || c == ')' || c == '}') - opens;
    }
    return n;
}

/* Turns "ns::f" into "f". A scope that is a function stays:
 * "g<int>(int)::{lambda()#1}::{lambda()#2}". */
static size_t drop_scope(char *out, size_t n, const char *next)
{
    if (*next == '{' || (n && (out[n - 1] == ')' || out[n - 1] == '}'))) {
        out[n++] = ':';
        out[n++] = ':';
        return n;
    }
    return word_begin(out, n);
}

/* Skips "::operator()(int) const" of a lambda, which is always the same. Returns p if there is no
 * such text. */
static const char *past_call(const char *begin, const char *p)
{
    static const char call[] = "::operator()(";
    if (p == begin || p[-1] != '}' || strncmp(p, call, sizeof call - 1) != 0)
        return p;
    p = skip_past_bracket(p + sizeof call - 2, '(', ')');
    return strncmp(p, " const", 6) == 0 ? p + 6 : p;
}

/* Writes the text for a full name; out must be as large as the name. Ends where the parameters of
 * the outermost function begin. */
static void write_brief_name(const char *full, char *out)
{
    static const char anonymous[] = "(anonymous namespace)::";
    size_t n = 0;
    int depth = 0;
    for (const char *p = full, *after; *p;) {
        if (strncmp(p, anonymous, sizeof anonymous - 1) == 0) {
            p += sizeof anonymous - 1;
        } else if (*p == '(') {
            const char *end = skip_past_bracket(p, '(', ')');
            /* a note in parentheses, not parameters: "Memcpy (Pinned)" */
            if (depth == 0 && p > full && p[-1] == ' ') {
                strcpy(out, full);
                return;
            }
            if (depth == 0 && strncmp(end, "::", 2) != 0 && n)
                break;
            out[n++] = '(';
            out[n++] = ')';
            p = end;
        } else if ((after = past_call(full, p)) > p) {
            p = after;
        } else if (p[0] == ':' && p[1] == ':') {
            n = drop_scope(out, n, p + 2);
            p += 2;
            /* the text so far was the return type */
        } else if (*p == ' ' && depth == 0 && p[1] != '[') {
            n = 0;
            p++;
        } else if (*p == ' ' && (p[1] == '>' || p[1] == '[')) {
            p++;
        } else if (*p == '[') {
            break;
        } else {
            depth += (*p == '<') - (*p == '>');
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
}

/* --- finding the difference between names --- */

static int compare_brief_texts(const void *a, const void *b)
{
    const struct brief *x = *(const struct brief *const *)a, *y = *(const struct brief *const *)b;
    int c = strcmp(x->text, y->text);
    return c ? c : strcmp(x->full, y->full);
}

/* Sorts texts with the same head next to each other: '<' and the end of a text sort before
 * letters. */
static int compare_brief_heads(const void *a, const void *b)
{
    const struct brief *x = *(const struct brief *const *)a, *y = *(const struct brief *const *)b;
    int c = strncmp(x->text, y->text, x->head < y->head ? x->head : y->head);
    if (c)
        return c;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return compare_brief_texts(a, b);
}

static bool same_head(const struct brief *a, const struct brief *b)
{
    return a->head == b->head && strncmp(a->text, b->text, a->head) == 0;
}

/* Keeps namespaces and parameters of names that differ only in them. */
static void keep_apart(struct brief **of, uint32_t n)
{
    qsort(of, n, sizeof *of, compare_brief_texts);
    for (uint32_t i = 0, end; i < n; i = end) {
        bool several = false;
        for (end = i + 1; end < n && strcmp(of[end]->text, of[i]->text) == 0; end++)
            several |= strcmp(of[end]->full, of[i]->full) != 0;
        for (uint32_t k = i; k < end && several; k++) {
            of[k]->text = of[k]->full;
            of[k]->head = (uint32_t)strcspn(of[k]->text, "<(");
        }
    }
}

static uint32_t common_begin(const char *a, const char *b, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && a[n] && a[n] == b[n])
        n++;
    return n;
}

static uint32_t common_end(const char *a, size_t na, const char *b, size_t nb, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && n < na && n < nb && a[na - 1 - n] == b[nb - 1 - n])
        n++;
    return n;
}

/* Finds the part that differs among names with the same head, widened to whole words. */
static void find_differing_part(struct brief **of, uint32_t n)
{
    uint32_t begin = UINT32_MAX, end = UINT32_MAX;
    size_t first = strlen(of[0]->text);
    for (uint32_t i = 1; i < n; i++) {
        begin = common_begin(of[0]->text, of[i]->text, begin);
        end = common_end(of[0]->text, first, of[i]->text, strlen(of[i]->text), end);
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *text = of[i]->text;
        uint32_t length = (uint32_t)strlen(text), from = begin < length ? begin : length;
        uint32_t to = length - (end < length - from ? end : length - from);
        while (from > of[i]->head && is_brief_letter(text[from]) && is_brief_letter(text[from - 1]))
            from--;
        while (to < length && to > 0 && is_brief_letter(text[to]) && is_brief_letter(text[to - 1]))
            to++;
        of[i]->from = from;
        of[i]->to = to;
    }
}

/* Finds the difference of names without brackets, such as
 * "sm80_xmma_gemm_f32_tn_tilesize64x256x8_stage3", that share at least half: the part between
 * their common beginning and end. */
static void tell_plain_apart(struct brief **of, uint32_t n)
{
    for (uint32_t i = 0, end; i < n; i = end) {
        size_t half = strlen(of[i]->text) / 2;
        uint32_t begin = UINT32_MAX, tail = UINT32_MAX;
        for (end = i + 1; end < n; end++) {
            const char *a = of[i]->text, *b = of[end]->text;
            uint32_t same = common_begin(a, b, begin);
            if (strchr(b, '<') || same * 2 < half || same < LEAST_SHARED)
                break;
            begin = same;
            tail = common_end(a, strlen(a), b, strlen(b), tail);
        }
        for (uint32_t k = i; k < end && end > i + 1; k++) {
            const char *text = of[k]->text;
            uint32_t length = (uint32_t)strlen(text), from = begin;
            uint32_t to = length - (tail < length - from ? tail : length - from);
            while (from > 0 && text[from - 1] != '_')
                from--;
            while (to < length && text[to] != '_')
                to++;
            of[k]->from = from;
            of[k]->to = to;
        }
    }
}

static void find_differences(struct briefs *b)
{
    struct brief **of = xcalloc(b->n + (size_t)1, sizeof(struct brief *));
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        of[n++] = &b->list[i];
    keep_apart(of, n);
    qsort(of, n, sizeof(struct brief *), compare_brief_heads);
    for (uint32_t i = 0, end; i < n; i = end) {
        bool several = false;
        for (end = i + 1; end < n && same_head(of[end], of[i]); end++)
            several |= of[end]->full != of[i]->full;
        for (uint32_t k = i; k < end; k++)
            of[k]->from = of[k]->to = of[k]->head;
        if (several)
            find_differing_part(of + i, end - i);
    }
    qsort(of, n, sizeof *of, compare_brief_texts);
    tell_plain_apart(of, n);
    free(of);
}

/* --- the table of names --- */

static int by_full_name(const void *a, const void *b)
{
    return strcmp(((const struct brief *)a)->name, ((const struct brief *)b)->name);
}

static void add_brief_name(struct briefs *b, const char *name)
{
    char buffer[KERNEL_NAME_BYTES];
    const char *own = arena_strdup(&b->memory, name);
    const char *full = kernel_full_name(own, buffer, sizeof buffer);
    full = strcmp(full, own) == 0 ? own : arena_strdup(&b->memory, full);
    char *text = arena_alloc(&b->memory, 2 * strlen(full) + 3);
    write_brief_name(full, text);
    struct brief one = {.name = own, .full = full, .text = *text ? text : full};
    one.head = (uint32_t)strcspn(one.text, "<(");
    b->list[b->n++] = one;
    one.name = full;
    if (full != own)
        b->list[b->n++] = one;
}

struct briefs *briefs_new(const char *const *names, uint32_t n)
{
    struct briefs *b = xcalloc(1, sizeof *b);
    b->list = xcalloc(2 * (size_t)n + 1, sizeof *b->list);
    for (uint32_t i = 0; i < n; i++)
        add_brief_name(b, names[i]);
    qsort(b->list, b->n, sizeof *b->list, by_full_name);
    uint32_t kept = 0; /* a name may be in the list both mangled and demangled */
    for (uint32_t i = 0; i < b->n; i++)
        if (kept == 0 || by_full_name(&b->list[kept - 1], &b->list[i]) != 0)
            b->list[kept++] = b->list[i];
    b->n = kept;
    find_differences(b);
    return b;
}

void briefs_free(struct briefs *b)
{
    if (!b)
        return;
    free(b->list);
    arena_free(&b->memory);
    free(b);
}

/* --- fitting a name into cells --- */

struct brief_text {
    char *out;
    size_t n, size;
};

static void put_brief(struct brief_text *p, const char *text, size_t bytes)
{
    size_t room = p->size - 1 - p->n;
    bytes = bytes < room ? bytes : text_fit(text, room);
    memcpy(p->out + p->n, text, bytes);
    p->out[p->n += bytes] = '\0';
}

static int measure_brief_width(const char *text, size_t bytes)
{
    int w = 0;
    for (const char *p = text; p < text + bytes && *p;)
        w += text_char_width(text_next_shown(&p));
    return w;
}

/* Writes the first cells of text, and a mark for what is missing. */
static void put_cut_brief(struct brief_text *p, const char *text, int cells, const char *mark,
                          int mark_width)
{
    put_brief(p, text, text_fit_cells(text, cells > mark_width ? cells - mark_width : 0));
    put_brief(p, mark, strlen(mark));
}

/* Writes the beginning and the end of text, more of its beginning, because names may differ in
 * either. */
static void put_ends(struct brief_text *p, const char *text, size_t bytes, int cells,
                     const char *mark, int mark_width)
{
    char *copy = xcalloc(bytes + 1, 1);
    memcpy(copy, text, bytes);
    if (text_width(copy) <= cells) {
        put_brief(p, copy, bytes);
    } else {
        int begin = (cells - mark_width) * 2 / 3;
        const char *tail = text_tail_cells(copy, cells - mark_width - begin);
        put_brief(p, copy, text_fit_cells(copy, begin));
        put_brief(p, mark, strlen(mark));
        put_brief(p, tail, strlen(tail));
    }
    free(copy);
}

/* Writes "head<…difference…>". If the head leaves no room for that, writes its beginning only. */
static void put_difference(struct brief_text *p, const struct brief *of, int cells,
                           const char *mark, int mark_width)
{
    const char *text = of->text, *from = text + of->from;
    size_t bytes = of->to - of->from;
    if (of->from == of->head) { /* the difference begins with the bracket */
        from++;
        bytes -= bytes > 0;
    }
    int head = measure_brief_width(text, of->head),
        tell = measure_brief_width(from, bytes) + 2 * mark_width + 2;
    int room = cells - tell > cells / 2 ? cells - tell : cells / 2;
    if (head <= room)
        put_brief(p, text, of->head);
    else
        put_cut_brief(p, text, room, mark, mark_width);
    int rest = cells - (head < room ? head : room) - 2 * mark_width - 2;
    put_brief(p, "<", 1);
    put_brief(p, mark, of->from > of->head + 1 ? strlen(mark) : 0);
    put_ends(p, from, bytes, rest, mark, mark_width);
    put_brief(p, mark, text[of->to] ? strlen(mark) : 0);
    put_brief(p, ">", text[of->to] ? 1 : 0);
}

/* Writes "sm80_xm…tn_tilesize64x256x8…", for a name without brackets whose difference is at
 * neither end. */
static void put_plain(struct brief_text *p, const struct brief *of, int cells, const char *mark,
                      int mark_width)
{
    int begin = (cells - mark_width) * 2 / 3, rest = cells - mark_width - begin;
    size_t length = strlen(of->text);
    if (of->from >= of->to || of->to <= (size_t)begin || length - of->from <= (size_t)rest) {
        put_ends(p, of->text, length, cells, mark, mark_width);
        return;
    }
    int tell = measure_brief_width(of->text + of->from, of->to - of->from) + mark_width;
    int head = cells - tell > cells / 4 ? cells - tell : cells / 4;
    put_cut_brief(p, of->text, head, mark, mark_width);
    put_ends(p, of->text + of->from, of->to - of->from, cells - head - mark_width, mark,
             mark_width);
    put_brief(p, mark, of->text[of->to] ? strlen(mark) : 0);
}

const char *briefs_fit(const struct briefs *b, const char *name, int cells, bool ascii, char *out,
                       size_t size)
{
    enum { LEAST = 16 }; /* in fewer cells no difference can be shown */
    const char *mark = ascii ? ".." : "…";
    int mark_width = ascii ? 2 : 1;
    struct brief_text p = {out, 0, size};
    const struct brief wanted = {.name = name}, *of = NULL;
    if (b && b->n)
        of = bsearch(&wanted, b->list, b->n, sizeof wanted, by_full_name);
    const char *text = of ? of->text : name;
    *out = '\0';
    if (text_width(text) <= cells && strlen(text) < size)
        put_brief(&p, text, strlen(text));
    else if (of && text[of->head] != '<') /* names like "sgemm_128x64_nn" and "sgemm_128x64_tn" */
        put_plain(&p, of, cells, mark, mark_width);
    else if (!of || of->from == of->to || cells < LEAST)
        put_cut_brief(&p, text, cells, mark, mark_width);
    else
        put_difference(&p, of, cells, mark, mark_width);
    return out;
}
