/* The page about a function: its place, its share, its callers and its callees. */
#include "tui/views/functions/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/functions/hot_calls.h"
#include "tui/widgets/page.h"

enum { CALLS_SHOWN = 8 };

static void share_line(struct page *p, const char *label, const struct functions *f, uint64_t n,
                       const char *what)
{
    char part[HOT_AMOUNT_MAX], all[HOT_AMOUNT_MAX];
    const bool calls = f->stacks->weight == HOT_TIME || f->stacks->weight == HOT_CALLS;
    if (f->stacks->weight == HOT_SAMPLES)
        page_item(p, label, "%.2f %%, %" PRIu64 " of %" PRIu64 " samples: %s",
                  functions_percent(f->stacks, n), n, f->stacks->samples, what);
    else
        page_item(p, label, "%.2f %%, %s of %s%s: %s", functions_percent(f->stacks, n),
                  hot_amount(f->stacks, n, false, part),
                  hot_amount(f->stacks, f->stacks->samples, false, all),
                  calls ? " in system calls" : "", what);
}

static void add_call_shares(struct page *p, const struct functions *f, const char *title,
                            const struct hot_share *s, size_t n, uint64_t of)
{
    char label[16];
    page_heading(p, title);
    if (n == 0)
        page_text(p, STYLE_DIM, "nothing");
    for (size_t i = 0; i < n && i < CALLS_SHOWN; i++) {
        snprintf(label, sizeof label, "%.1f %%", 100.0 * (double)s[i].samples / (double)of);
        page_item(p, label, "%s",
                  s[i].symbol < f->stacks->nsymbols ? f->stacks->symbols[s[i].symbol].name
                                                    : "(no caller: outermost)");
    }
    if (n > CALLS_SHOWN)
        page_text(p, STYLE_DIM, "and %zu more", n - CALLS_SHOWN);
}

static void add_function_place(struct page *p, const struct hot_symbol *s)
{
    static const char *const kinds[] = {
        "code of a file", "the kernel", "code made while running, named by its perf map",
        "the vDSO, which the kernel maps into each process", "no symbol is known for the address"};
    char source[512];
    functions_source(s, source, sizeof source);
    page_item(p, "module", "%s%s%s", s->module, s->path[0] ? "  " : "", s->path);
    page_item(p, "kind", "%s%s", kinds[s->where <= HOT_UNKNOWN ? s->where : HOT_UNKNOWN],
              s->inlined ? ", inlined into its caller" : "");
    page_item(p, "source", "%s", source[0] ? source : "not known: no debug information");
    if (s->size)
        page_item(p, "code", "0x%" PRIx64 ", %" PRIu64 " bytes", s->address, s->size);
}

void functions_explain(struct page *p, const struct model *m, const struct view_state *st,
                       const char *key)
{
    const struct functions *f = functions_of(st);
    (void)m;
    uint32_t symbol = functions_find(f, key);
    const struct function_row *row = NULL;
    for (size_t i = 0; symbol != FUNCTIONS_NONE && i < f->nrows; i++)
        if (f->rows[i].symbol == symbol)
            row = &f->rows[i];
    if (!row) {
        page_text(p, STYLE_DIM, "it has no samples in this window");
        return;
    }
    const struct hot_stacks *prof = f->stacks;
    page_heading(p, prof->symbols[symbol].name);
    add_function_place(p, &prof->symbols[symbol]);
    share_line(p, "self", f, row->self, "in the function itself");
    share_line(p, "total", f, row->total, "and in what it calls");
    struct hot_share *s = xcalloc(prof->nsymbols + 1, sizeof *s);
    size_t n = hot_callers(prof, f->node_total, symbol, s);
    add_call_shares(p, f, "Called by", s, n, row->total);
    n = hot_callees(prof, symbol, s);
    add_call_shares(p, f, "Calls", s, n, row->total);
    free(s);
}
