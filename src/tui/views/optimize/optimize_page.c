#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/value/value.h"
#include "tui/views/optimize/optimize.h"

enum { PIECE = 900, TAB = 4, MOST_LINES = 4000 };

struct style optimize_word(const struct optimize_record *r, char *out, size_t size)
{
    const bool faster = r->outcome == OPTIMIZE_FASTER;
    const char *word = optimize_outcome_name(r->outcome);
    if (r->step == OPTIMIZE_CONFIRMATION)
        snprintf(out, size, "%s", faster ? "confirmed" : "rolled back");
    else if (r->step == OPTIMIZE_BASELINE)
        snprintf(out, size, "itself: %s", word);
    else
        snprintf(out, size, "%s%s%s", faster ? "accepted" : word, *r->guard ? ": " : "", r->guard);
    if (r->step == OPTIMIZE_BASELINE)
        return STYLE(STYLE_TEXT);
    if (faster)
        return STYLE(STYLE_OK);
    if (r->step == OPTIMIZE_CONFIRMATION || r->outcome == OPTIMIZE_REFUSED ||
        r->outcome == OPTIMIZE_NO_BUILD)
        return STYLE(STYLE_WARN);
    return STYLE(r->outcome == OPTIMIZE_NOT_DECIDED ? STYLE_TEXT : STYLE_DIM);
}

/* The length of the next piece of a line that is longer than a line of the page. Characters are
 * never split. */
static size_t piece_of(const char *text, size_t n)
{
    size_t at = n < PIECE ? n : PIECE;
    while (at < n && at > PIECE - 4 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void add_page_piece(struct page *p, enum style_role role, const char *text, size_t n)
{
    char out[PIECE * TAB + 1];
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\t')
            do
                out[used++] = ' ';
            while ((used - 1) % TAB != 0); /* the first character is the diff's mark */
        else
            out[used++] = text[i];
    out[used] = '\0';
    page_text(p, role, "%s", out);
}

/* One line of a file. */
static void add_file_line(struct page *p, enum style_role role, const char *text, size_t n)
{
    do {
        const size_t part = piece_of(text, n);
        add_page_piece(p, role, text, part);
        text += part;
        n -= part;
    } while (n);
}

static enum style_role role_of(const char *line, bool diff)
{
    if (!diff)
        return STYLE_TEXT;
    switch (*line) {
    case '+':
        return STYLE_OK;
    case '-':
        return STYLE_CRIT;
    case '@':
        return STYLE_HOT;
    default:
        return STYLE_DIM;
    }
}

static void add_page_file(struct page *p, const char *text, bool diff)
{
    for (size_t lines = 0; *text; lines++) {
        const size_t n = strcspn(text, "\n");
        if (lines == MOST_LINES) {
            page_text(p, STYLE_DIM, "and more: only %d lines are shown", MOST_LINES);
            return;
        }
        add_file_line(p, role_of(text, diff), text, n);
        text += n + (text[n] == '\n');
    }
}

static void add_ratio_interval(struct page *p, const char *label, const struct interval *i)
{
    const bool low = isfinite(i->low), high = isfinite(i->high);
    if (!isfinite(i->estimate))
        return;
    if (low && high)
        page_item(p, label, "%.4f, between %.4f and %.4f", i->estimate, i->low, i->high);
    else if (low || high)
        page_item(p, label, "%.4f, at %s %.4f", i->estimate, low ? "least" : "most",
                  low ? i->low : i->high);
    else
        page_item(p, label, "%.4f, from too few pairs to say how sure", i->estimate);
}

static void add_record_times(struct page *p, const struct optimize_record *r)
{
    char mine[VALUE_TEXT_MAX], base[VALUE_TEXT_MAX];
    page_heading(p, r->modelled ? "Modelled cost by the base's" : "Time by the base's");
    add_ratio_interval(p, "warm", &r->warm);
    add_ratio_interval(p, "cold", &r->cold);
    add_ratio_interval(p, "confirmed", &r->confirmed);
    if (isfinite(r->candidate_ns) && isfinite(r->baseline_ns))
        page_item(p, "a call", "%s; of the base %s", value_time(r->candidate_ns, false, mine),
                  value_time(r->baseline_ns, false, base));
    if (r->pairs)
        page_item(p, "pairs", "%" PRIu64, r->pairs);
}

void optimize_page(struct page *p, const struct optimize_record *r, const struct run_detail *d)
{
    char word[PROPOSAL_WORD * 2], base[32];
    optimize_word(r, word, sizeof word);
    snprintf(base, sizeof base, r->base ? "candidate %u" : "the source", r->base);
    page_heading(p, "Verdict");
    page_item(p, "what", "%s", word);
    page_item(p, "against", "%s", base);
    if (*r->proposer)
        page_item(p, "proposer", "%s", r->proposer);
    if (*r->note)
        page_item(p, "note", "%s", r->note);
    if (*r->evidence)
        page_item(p, "evidence", "%s", r->evidence);
    add_record_times(p, r);
    if (r->number != r->base) {
        page_heading(p, "Difference from its base");
        if (!d)
            page_text(p, STYLE_DIM, "reading");
        else if (!d->diff)
            page_text(p, STYLE_WARN, "%s", d->why);
        else
            add_page_file(p, *d->diff ? d->diff : "they are the same", *d->diff != '\0');
    }
    if (d && d->messages) {
        page_heading(p, "Messages of the builder");
        add_page_file(p, d->messages, false);
    }
    if (d && d->line) {
        page_heading(p, "Line of the log");
        add_file_line(p, STYLE_DIM, d->line, strlen(d->line));
    }
    page_drop_empty(p);
}
