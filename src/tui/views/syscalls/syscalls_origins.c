/* Where calls came from: below the list of calls, and in full below the list of origins. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/syscalls/syscalls.h"

enum { ORIGIN_ROWS = 3, MAX_ROWS = 8, LIST_ROWS = 7 };

/* Draws a stack, innermost first; the frame that made the call stands out. Frames that do not
 * fit are counted. */
void syscalls_stack_draw(struct canvas *c, struct rect r, const struct syscall_stack *stack)
{
    const struct syscall_frame *origin = syscall_stack_maker(stack);
    char text[320];
    for (int i = 0; stack && i < r.h && i < (int)stack->n; i++) {
        const struct syscall_frame *f = stack->frames[i];
        const int left = (int)stack->n - i;
        syscall_frame_line(f, text, sizeof text);
        if (i == r.h - 1 && left > 1)
            snprintf(text, sizeof text, "%d more: i shows them", left);
        canvas_text(c, r.x, r.y + i, r.w, "> ", STYLE(STYLE_DIM));
        canvas_text(c, r.x + 2, r.y + i, r.w - 2, text,
                    STYLE(f == origin ? STYLE_TITLE : STYLE_DIM));
    }
}

int syscalls_origins_rows(const struct syscalls_snapshot *p, int height)
{
    const int most = height / 5 > ORIGIN_ROWS ? height / 5 : ORIGIN_ROWS;
    const int rows = 1 + (most < MAX_ROWS ? most : MAX_ROWS);
    return p->norigins && height >= LIST_ROWS + rows ? rows : 0;
}

/* Draws one line: share of the call's time, time, number, which function made the call, and its
 * caller. */
static void draw_origin(struct canvas *c, struct rect r, const struct syscalls_origin_row *o,
                        const struct syscalls_call_row *call)
{
    char time[VALUE_TEXT_MAX], text[512], callers[FIELD_TEXT_MAX];
    const bool timed = !isnan(o->share);
    const double of = timed ? (double)call->total_ns : (double)call->calls;
    const double part = timed ? (double)o->total_ns : (double)o->calls;
    const int end = r.x + r.w;
    int x = r.x;
    x += canvas_printf(c, x, r.y, end - x,
                       STYLE_LEVEL(STYLE_GRAD_PROC, of > 0 ? (int)(100 * part / of) : 0),
                       "%5.1f %%", of > 0 ? 100 * part / of : 0);
    if (timed)
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TEXT), " %9s",
                           value_time((double)o->total_ns, c->ascii, time));
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " %7" PRIu64 "x  ", o->calls);
    syscalls_origin_text(o, text, sizeof text);
    x += canvas_text(c, x, r.y, end - x, text, STYLE(STYLE_TEXT));
    syscalls_origin_callers(o, callers, sizeof callers);
    if (callers[0])
        canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " < %s", callers);
}

static void draw_more(struct canvas *c, struct rect r, size_t more)
{
    canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_DIM), "         %zu more", more);
}

void syscalls_origins_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                           const struct syscalls_call_row *call)
{
    char title[96];
    size_t n = 0;
    int row = 0;
    snprintf(title, sizeof title, "WHERE %s CAME FROM (c: in full)", call->name);
    canvas_heading(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    for (size_t i = 0; i < p->norigins; i++)
        n += p->origins[i].abi == call->abi && p->origins[i].number == call->number;
    for (size_t i = 0; i < p->norigins && row < r.h - 1; i++) {
        const struct syscalls_origin_row *o = &p->origins[i];
        const struct rect line = {r.x, r.y + 1 + row, r.w, 1};
        if (o->abi != call->abi || o->number != call->number)
            continue;
        if (row == r.h - 2 && n > (size_t)row + 1) {
            draw_more(c, line, n - (size_t)row);
            return;
        }
        draw_origin(c, line, o, call);
        row++;
    }
}

void syscalls_origin_draw(struct canvas *c, struct rect r, const struct syscalls_origin_row *row)
{
    char title[160];
    if (row->stacks > 1)
        snprintf(title, sizeof title, "%s: the stack with the most time, of %" PRIu32, row->name,
                 row->stacks);
    else
        snprintf(title, sizeof title, "%s: its stack", row->name);
    canvas_heading(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    if (row->stack)
        syscalls_stack_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, row->stack);
    else
        canvas_text(c, r.x, r.y + 1, r.w, "the trace has no stack of these calls",
                    STYLE(STYLE_DIM));
}
