/*
 * The source of a kernel or function of the execution tree: the text that its program registered,
 * or the file that it named, with highlighted syntax. A second key shows the instructions, from a
 * disassembler.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/list.h"
#include "engine/bricks/bricks.h"
#include "engine/trace/trace.h"
#include "symbols/source/source_text.h"
#include "tui/app/app_state.h"
#include "tui/overlays/source.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/wrap.h"

enum { LINES_MAX = 20000, CONTEXT_LINES = 2000, COLUMNS_MAX = 512 };

/* a->overlay_own: the source as loaded when the overlay was opened. */
struct source_shown {
    struct arena memory;
    const char **lines;
    size_t n, cap;
    int first, mark; /* numbers of the first line and of the line to show; 0 = none */
    char title[160], from[300], why[300];
    /* The instructions: of a code object, or of the function of that name in the program. */
    bool assembly;
    char *object;
    size_t object_size;
    char function[160], program[300];
};

static void say_why_not(struct source_shown *shown, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void say_why_not(struct source_shown *shown, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(shown->why, sizeof shown->why, fmt, ap);
    va_end(ap);
}

static void add_shown_line(struct source_shown *shown, const char *text, size_t n)
{
    if (shown->n >= LINES_MAX)
        return;
    LIST_ROOM(shown->lines, shown->n, shown->cap);
    char *line = arena_strndup(&shown->memory, text, n < COLUMNS_MAX ? n : COLUMNS_MAX);
    for (char *c = line; *c; c++)
        if (*c == '\t' || (unsigned char)*c < ' ')
            *c = ' ';
    shown->lines[shown->n++] = line;
}

static bool is_source_text(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)bytes[i] < '\t' || bytes[i] == 0x7f)
            return false;
    return true;
}

static void add_shown_lines(struct source_shown *shown, const char *bytes, size_t n)
{
    while (n > 0) {
        const char *end = memchr(bytes, '\n', n);
        size_t length = end ? (size_t)(end - bytes) : n;
        add_shown_line(shown, bytes, length);
        length += end != NULL;
        bytes += length;
        n -= length;
    }
}

/*
 * Reads a file by the name that the program gave: relative to the current folder, or to the
 * program's.
 */
static void take_file(struct source_shown *shown, const char *path, int line, int pid)
{
    struct source_text *t = NULL;
    struct error err = ERROR_INIT;
    char there[512];
    int first = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
    int rc = source_text_read(path, NULL, first, first + LINES_MAX, &t, &err);
    if (rc != 0 && path[0] != '/') {
        snprintf(there, sizeof there, "/proc/%d/cwd/%.400s", pid, path);
        rc = source_text_read(there, NULL, first, first + LINES_MAX, &t, NULL);
    }
    snprintf(shown->from, sizeof shown->from, "%.250s", path);
    if (rc != 0) {
        say_why_not(shown, "%.100s: %.150s", path, err.why);
        return;
    }
    shown->first = t->first;
    shown->mark = line;
    for (size_t i = 0; i < t->n; i++)
        add_shown_line(shown, t->lines[i], strlen(t->lines[i]));
    source_text_free(t);
}

static void take_kernel_code(struct source_shown *shown, const struct brick_program *p,
                             uint64_t hash)
{
    struct trace_code code;
    struct error err = ERROR_INIT;
    if (trace_code(&code, p->path, hash, &err) != 0) {
        say_why_not(shown, "%.200s (hash 0x%016" PRIx64 ")", err.why, hash);
        return;
    }
    snprintf(shown->from, sizeof shown->from, "%.250s", code.path);
    if (code.size == 0 && code.path[0])
        take_file(shown, code.path, 0, (int)p->pid);
    else if (is_source_text(code.bytes, code.size))
        add_shown_lines(shown, code.bytes, code.size);
    else
        say_why_not(shown, "its program registered no source text, only %s of %zu bytes", code.kind,
                    code.size);
    if (code.size > 4 && memcmp(code.bytes, "\177ELF", 4) == 0) {
        shown->object = code.bytes;
        shown->object_size = code.size;
        code.bytes = NULL;
    }
    if (shown->object || strcmp(code.kind, "host code") == 0)
        snprintf(shown->program, sizeof shown->program, "%s",
                 shown->object ? code.path : code.program);
    trace_code_free(&code);
}

static const struct brick_program *find_brick_program(const struct bricks *b, uint32_t node)
{
    while (b->tree->parent[node] != GRAPH_NONE)
        node = b->tree->parent[node];
    for (uint32_t i = 0; i < b->nprograms; i++)
        if (b->programs[i].node == node)
            return &b->programs[i];
    return NULL;
}

/* The kernel of a brick, whose source is shown for the brick. */
static uint32_t kernel_of(const struct graph *g, uint32_t node)
{
    uint32_t c = g->kind[node] == NODE_BRICK ? g->first_child[node] : GRAPH_NONE;
    while (c != GRAPH_NONE && g->kind[c] != NODE_KERNEL)
        c = g->next_sibling[c];
    return c == GRAPH_NONE ? node : c;
}

static void load_brick_source(struct source_shown *shown, const struct bricks *b, uint32_t node)
{
    const struct graph *g = b->tree;
    node = kernel_of(g, node);
    const struct brick_program *p = find_brick_program(b, node);
    const struct graph_detail *d =
        g->detail[node] == GRAPH_NONE ? NULL : &g->details[g->detail[node]];
    snprintf(shown->title, sizeof shown->title, "%.100s", graph_name(g, node));
    snprintf(shown->function, sizeof shown->function, "%s", shown->title);
    /* kernels of AMD's code objects end in ".kd" */
    char *descriptor = strstr(shown->function, ".kd");
    if (descriptor && !descriptor[3])
        *descriptor = '\0';
    if (d && p && g->kind[node] == NODE_KERNEL && d->kernel.hash)
        take_kernel_code(shown, p, d->kernel.hash);
    else if (d && p && g->kind[node] == NODE_FUNCTION && d->function.file != GRAPH_NONE) {
        take_file(shown, graph_text(g, d->function.file), (int)d->function.line, (int)p->pid);
        snprintf(shown->program, sizeof shown->program, "/proc/%d/exe", (int)p->pid);
    } else
        say_why_not(
            shown,
            "its program told no source: rooftop_code for kernels, rooftop_function for functions");
}

static bool has_assembly(const struct source_shown *shown)
{
    return shown->object || shown->program[0];
}

/* Shows source or instructions. Instructions are read in the background. */
static void show_text(struct app *a, bool assembly)
{
    struct source_shown *shown = a->overlay_own;
    a->overlay_state = (struct view_state){0};
    if (a->code.job)
        code_job_cancel(a->code.job);
    code_free(a->code.code);
    a->code.code = NULL;
    shown->assembly = assembly;
    if (!assembly) {
        if (shown->mark > shown->first)
            a->overlay_state.scroll = shown->mark - shown->first - 3;
        return;
    }
    struct code_request r = {.assembly = true,
                             .file = "",
                             .path = shown->program[0] ? shown->program : shown->title,
                             .function = shown->function,
                             .object = shown->object,
                             .object_size = shown->object_size};
    if (!a->code.job)
        a->code.job = code_job_new();
    code_job_start(a->code.job, &r);
}

static void source_opened(struct app *a)
{
    struct source_shown *shown = a->overlay_own;
    shown->first = 1;
    const struct bricks *b = model_bricks(&a->model);
    if (!b) {
        say_why_not(shown, "there is no instrumented program");
        return;
    }
    const struct tree_rows *t = tree_rows(b, &a->state[a->view]);
    uint32_t node = tree_node(t, tree_id_of_key(a->overlay_key), NULL);
    if (node == GRAPH_NONE)
        say_why_not(shown, "it is gone");
    else
        load_brick_source(shown, b, node);
    show_text(a, shown->n == 0 && has_assembly(shown));
}

static void source_closed(struct app *a)
{
    struct source_shown *shown = a->overlay_own;
    if (a->code.job)
        code_job_cancel(a->code.job);
    code_free(a->code.code);
    a->code.code = NULL;
    free(shown->object);
    arena_free(&shown->memory);
    free(shown->lines);
}

/*
 * --- syntax: comments, strings, numbers, directives and keywords of C and similar languages, PTX,
 * assembly and LLVM IR ---
 */

static bool is_source_keyword(const char *w, size_t n)
{
    static const char *const words[] = {
        "if",      "else",   "for",  "while",      "return",     "struct",     "static",
        "const",   "void",   "int",  "float",      "double",     "char",       "unsigned",
        "size_t",  "switch", "case", "break",      "default",    "do",         "enum",
        "typedef", "inline", "bool", "__global__", "__shared__", "__device__", "define",
        "entry",   "ret",    "bra",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && memcmp(words[i], w, n) == 0)
            return true;
    return false;
}

/* The length and the style of the next piece of a line. */
static size_t read_source_piece(const char *p, bool *comment, struct style *st)
{
    const char *end;
    *st = STYLE(STYLE_TEXT);
    if (*comment || strncmp(p, "/*", 2) == 0) {
        *st = STYLE(STYLE_DIM);
        end = strstr(*comment ? p : p + 2, "*/");
        *comment = end == NULL;
        return end ? (size_t)(end + 2 - p) : strlen(p);
    }
    if (strncmp(p, "//", 2) == 0 || *p == ';') {
        *st = STYLE(*p == ';' && !p[1] ? STYLE_TEXT : STYLE_DIM);
        return *p == ';' && (!p[1] || p[1] == '\n') ? 1 : strlen(p);
    }
    if (*p == '"') {
        end = strchr(p + 1, '"');
        *st = STYLE(STYLE_OK);
        return end ? (size_t)(end + 1 - p) : strlen(p);
    }
    size_t n = 1;
    if (*p == '#' || *p == '.') { /* directives of C, PTX and assembly */
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        *st = n > 1 ? STYLE(STYLE_HOT) : STYLE(STYLE_TEXT);
    } else if (isdigit((unsigned char)*p)) {
        while (isalnum((unsigned char)p[n]) || p[n] == '.')
            n++;
        *st = STYLE(STYLE_LINK);
    } else if (isalpha((unsigned char)*p) || *p == '_') {
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        if (is_source_keyword(p, n))
            *st = STYLE(STYLE_HEADING);
    } else {
        while (p[n] && !isalnum((unsigned char)p[n]) && !strchr("_\"#./;", p[n]))
            n++;
    }
    return n;
}

static void draw_source_line(struct canvas *c, int x, int y, int w, const char *text, bool *comment)
{
    char part[COLUMNS_MAX + 1];
    int end = x + w;
    while (*text && x < end) {
        struct style st;
        size_t n = read_source_piece(text, comment, &st);
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        x += canvas_text(c, x, y, end - x, part, st);
        text += n;
    }
}

/* Whether a line begins inside a comment. That depends on all lines before it. */
static bool comment_before(const struct source_shown *shown, size_t line)
{
    bool comment = false;
    struct style st;
    for (size_t i = 0; i < line; i++)
        for (const char *p = shown->lines[i]; *p;)
            p += read_source_piece(p, &comment, &st);
    return comment;
}

/* Doubles each '_', because a single one marks a letter in the title of a box. */
static void plain_title(char *title, size_t size)
{
    char plain[480];
    size_t n = 0;
    for (const char *p = title; *p && n + 2 < sizeof plain; p++) {
        plain[n++] = *p;
        if (*p == '_')
            plain[n++] = '_';
    }
    plain[n] = '\0';
    snprintf(title, size, "%s", plain);
}

static void scroll_within(struct view_state *st, size_t lines, int page)
{
    int most = (int)lines > page ? (int)lines - page : 0;
    st->page = page;
    st->scroll = limit_int(st->scroll, 0, most);
}

/* Draws "mov %rax, %rbx": the operation is bright, comments are dim. */
static void draw_instruction(struct canvas *c, struct rect r, const struct code_line *l)
{
    char part[COLUMNS_MAX];
    if (l->heading) {
        canvas_text(c, r.x, r.y, r.w, l->text, STYLE(STYLE_DIM));
        return;
    }
    int x = r.x + canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_DIM), "%8" PRIx64 "  ", l->at);
    size_t n = strcspn(l->text, " "), comment = strcspn(l->text, "#;/<");
    comment = comment < n ? strlen(l->text) : comment;
    snprintf(part, sizeof part, "%.*s", (int)n, l->text);
    x += canvas_text(c, x, r.y, r.x + r.w - x, part, STYLE(STYLE_HEADING));
    snprintf(part, sizeof part, "%.*s", (int)(comment - n), l->text + n);
    x += canvas_text(c, x, r.y, r.x + r.w - x, part, STYLE(STYLE_TEXT));
    canvas_text(c, x, r.y, r.x + r.w - x, l->text + comment, STYLE(STYLE_DIM));
}

static void draw_assembly(struct canvas *c, struct rect r, const struct code *k,
                          struct view_state *st)
{
    if (!k || k->n == 0) {
        if (!k)
            canvas_text(c, r.x, r.y, r.w, "disassembling …", STYLE(STYLE_TITLE));
        else
            wrap_draw(c, r, k->why, STYLE(STYLE_WARN));
        return;
    }
    scroll_within(st, k->n, r.h);
    for (int y = 0; y < r.h && st->scroll + y < (int)k->n; y++)
        draw_instruction(c, (struct rect){r.x, r.y + y, r.w, 1}, &k->lines[st->scroll + y]);
}

static void draw_source(struct app *a, struct canvas *c, struct rect area)
{
    const struct source_shown *shown = a->overlay_own;
    struct view_state *st = &a->overlay_state;
    const struct code *k = a->code.code;
    char title[480];
    if (shown->assembly)
        snprintf(title, sizeof title, "%s  instructions%s%s", shown->title,
                 k && k->note[0] ? " " : "", k ? k->note : "");
    else
        snprintf(title, sizeof title, "%s%s%s", shown->title, shown->from[0] ? "  " : "",
                 shown->from);
    plain_title(title, sizeof title);
    canvas_fill(c, area, ' ', STYLE(STYLE_TEXT));
    const char *keys = shown->assembly ? "v source  Esc back" : "v instructions  Esc back";
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), title, has_assembly(shown) ? keys : "Esc back");
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (shown->assembly) {
        draw_assembly(c, r, k, st);
        return;
    }
    if (shown->why[0]) {
        wrap_draw(c, r, shown->why, STYLE(STYLE_WARN));
        return;
    }
    scroll_within(st, shown->n, r.h);
    const char *mark = c->ascii ? ">" : "▸";
    bool comment = comment_before(shown, (size_t)st->scroll);
    for (int y = 0; y < r.h && st->scroll + y < (int)shown->n; y++) {
        size_t line = (size_t)st->scroll + (size_t)y;
        int number = shown->first + (int)line;
        const bool marked = number == shown->mark;
        canvas_printf(c, r.x, r.y + y, 6, STYLE(marked ? STYLE_HOT : STYLE_DIM), "%4d%s", number,
                      marked ? mark : " ");
        draw_source_line(c, r.x + 6, r.y + y, r.w - 6, shown->lines[line], &comment);
    }
}

/* The key that opened the overlay switches between source and instructions. */
static unsigned on_key(struct app *a, const struct key_event *ev)
{
    const struct source_shown *shown = a->overlay_own;
    if (key_action(ev, CONTEXT_GLOBAL | CONTEXT_OVERLAY | CONTEXT_TREE) != ACTION_SOURCE ||
        !has_assembly(shown))
        return 0;
    show_text(a, !shown->assembly);
    return APP_REDRAW;
}

const struct overlay_ops overlay_source = {
    .name = "source",
    .opened = source_opened,
    .own_size = sizeof(struct source_shown),
    .closed = source_closed,
    .draw = draw_source,
    .act = overlay_scroll_page,
    .key = on_key,
};
