/*
 * The arguments of a captured kernel, decoded by the metadata of its code object; and its
 * instructions.
 */
#include <stdio.h>

#include "tui/views/replay/replay_overlays.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

/* --- arguments --- */

enum { COL_OFFSET, COL_NAME, COL_TYPE, COL_VALUE };
static const struct column columns[] = {
    [COL_OFFSET] = {"AT", 5, false, true, 1},
    [COL_NAME] = {"ARGUMENT", 18, false, false, 0},
    [COL_TYPE] = {"TYPE", 22, false, false, 2},
    [COL_VALUE] = {"VALUE", 24, true, false, 0},
};

static void argument_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                          struct style *st)
{
    const struct kernarg *args = ctx;
    const struct kernarg_slot *s = &args->slots[row];
    bool hidden = row >= args->kernel->nexplicit;
    *st = STYLE(hidden ? STYLE_DIM : STYLE_TEXT);
    switch (col) {
    case COL_OFFSET:
        snprintf(text, TABLE_CELL_MAX, "%u", s->arg->offset);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s", s->arg->name[0] ? s->arg->name : s->arg->kind_name);
        *st = STYLE(hidden ? STYLE_DIM : STYLE_TITLE);
        break;
    case COL_TYPE:
        if (s->c_type[0])
            snprintf(text, TABLE_CELL_MAX, "%s", s->c_type);
        else
            snprintf(text, TABLE_CELL_MAX, "%u bytes", s->arg->size);
        *st = STYLE(STYLE_DIM);
        break;
    default:
        kernarg_format(s, text, TABLE_CELL_MAX);
        if (s->type == KERNARG_POINTER && s->region >= 0)
            *st = STYLE(STYLE_LINK);
    }
}

static void key_of(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    (void)ctx;
    snprintf(out, VIEW_TEXT_MAX, "%zu", row);
}

static void draw_why(struct canvas *c, struct rect r, const char *why)
{
    wrap_draw(c, r, *why ? why : "opening …", STYLE(*why ? STYLE_CRIT : STYLE_DIM));
}

static const struct kernarg *find_kernel_arguments(struct app *a, const char **why)
{
    struct capture_look *l = replay_look_of(a);
    *why = "the capture is not here any more";
    return l && capture_look_kernel(l, why) ? capture_look_args(l) : NULL;
}

static void draw_replay_arguments(struct app *a, struct canvas *c, struct rect area)
{
    const char *why;
    const struct kernarg *args = find_kernel_arguments(a, &why);
    canvas_fill(c, area, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), "arguments of the launch", NULL);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 3};
    if (!args) {
        draw_why(c, r, why);
        return;
    }
    canvas_text(c, r.x, r.y, r.w, args->kernel->demangled, STYLE(STYLE_TITLE));
    const struct table t = {.columns = columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .ctx = args,
                            .nrows = args->n,
                            .sort = -1,
                            .cell = argument_cell,
                            .key = key_of};
    table_draw(c, (struct rect){r.x, r.y + 2, r.w, r.h - 3}, &t, &a->overlay_state);
    canvas_text(c, r.x, area.y + area.h - 2, r.w,
                args->n ? "Enter: the memory that a pointer points to   Esc close"
                        : "the kernel takes no arguments   Esc close",
                STYLE(STYLE_DIM));
}

static unsigned act_in_replay_arguments(struct app *a, enum action action)
{
    struct view_state *st = &a->overlay_state;
    const char *why;
    const struct kernarg *args = find_kernel_arguments(a, &why);
    if (action != ACTION_MENU)
        return table_act(action, st) ? APP_REDRAW : 0;
    if (!args || st->selected < 0 || (uint32_t)st->selected >= args->n)
        return APP_REDRAW;
    const struct kernarg_slot *s = &args->slots[st->selected];
    if (s->type == KERNARG_POINTER && s->region >= 0)
        replay_memory_go(a, s->bits);
    else
        app_message(a, true, "it does not point into captured memory");
    return APP_REDRAW;
}

const struct overlay_ops overlay_replay_arguments = {
    .name = "replay-arguments", .draw = draw_replay_arguments, .act = act_in_replay_arguments};

/* --- instructions --- */

struct asked_instructions { /* a->overlay_own */
    bool asked;             /* the disassembler was started since the overlay was opened */
};

static void stop_disassembly(struct app *a)
{
    if (a->code.job)
        code_job_cancel(a->code.job);
    code_free(a->code.code);
    a->code.code = NULL;
}

static void opened_code(struct app *a)
{
    stop_disassembly(a);
    replay_look_of(a);
}

/* Starts the disassembler once the capture is open. */
static void ask_instructions(struct app *a, const struct capture *c)
{
    struct code_request r = {.assembly = true,
                             .file = "",
                             .path = "kernel.hsaco",
                             .function = c->mangled_name,
                             .object = c->code,
                             .object_size = c->code_bytes};
    app_job_fd(a); /* makes the app watch the job */
    code_job_start(a->code.job, &r);
    ((struct asked_instructions *)a->overlay_own)->asked = true;
}

static void code_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct code *k = ctx;
    const struct code_line *l = &k->lines[row];
    if (col == 0 && !l->heading)
        snprintf(text, TABLE_CELL_MAX, "%llx", (unsigned long long)l->at);
    else if (col == 1)
        snprintf(text, TABLE_CELL_MAX, "%s", l->text);
    *st = STYLE(col == 0 || l->heading ? STYLE_DIM : STYLE_TEXT);
}

static bool code_match(const void *ctx, size_t row, const char *needle)
{
    const struct code *k = ctx;
    return table_contains(k->lines[row].text, needle);
}

static void draw_code_lines(struct app *a, struct canvas *c, struct rect r)
{
    static const struct column code_columns[] = {{"ADDRESS", 9, false, true, 0},
                                                 {"INSTRUCTION", 20, true, false, 0}};
    const struct table t = {.columns = code_columns,
                            .ncolumns = 2,
                            .ctx = a->code.code,
                            .nrows = a->code.code->n,
                            .sort = -1,
                            .cell = code_cell,
                            .key = key_of,
                            .match = code_match};
    table_draw(c, r, &t, &a->overlay_state);
}

static void draw_code(struct app *a, struct canvas *c, struct rect area)
{
    struct capture_look *l = replay_look_of(a);
    const struct asked_instructions *own = a->overlay_own;
    const char *why = "the capture is not here any more";
    const struct capture *cap = l ? capture_look_capture(l, &why) : NULL;
    canvas_fill(c, area, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), "instructions",
               a->code.code ? a->code.code->note : NULL);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (cap && (!cap->code || cap->code_bytes == 0))
        draw_why(c, r, "the capture has no code object");
    else if (!cap)
        draw_why(c, r, why);
    else if (!own->asked)
        ask_instructions(a, cap);
    if (!own->asked)
        return;
    if (!a->code.code)
        canvas_text(c, r.x, r.y, r.w, "disassembling …", STYLE(STYLE_DIM));
    else if (a->code.code->n == 0)
        draw_why(c, r, a->code.code->why);
    else
        draw_code_lines(a, c, r);
}

static unsigned act_code(struct app *a, enum action action)
{
    return table_act(action, &a->overlay_state) ? APP_REDRAW : 0;
}

const struct overlay_ops overlay_replay_code = {.name = "replay-code",
                                                .own_size = sizeof(struct asked_instructions),
                                                .opened = opened_code,
                                                .closed = stop_disassembly,
                                                .draw = draw_code,
                                                .act = act_code};
