/* The picture of the memory browser: the list of regions, and the rows of one. */
#include "tui/views/replay/replay_overlays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/widgets/wrap.h"

enum { ROW_MAX = 32, ADDRESS = 18, LIST_W = 46, BESIDE_FROM = 118 };

const struct replay_memory_look replay_memory_looks[REPLAY_MEMORY_LOOKS] = {
    {"hex", MEMORY_U8, MEMORY_LOOK_HEX},     {"f16", MEMORY_F16, MEMORY_LOOK_TYPE},
    {"bf16", MEMORY_BF16, MEMORY_LOOK_TYPE}, {"f32", MEMORY_F32, MEMORY_LOOK_TYPE},
    {"f64", MEMORY_F64, MEMORY_LOOK_TYPE},   {"i32", MEMORY_I32, MEMORY_LOOK_TYPE},
    {"u32", MEMORY_U32, MEMORY_LOOK_TYPE},   {"u64", MEMORY_U64, MEMORY_LOOK_HEX}};

size_t replay_memory_element(const struct replay_memory_view *m)
{
    return memory_type_size(replay_memory_looks[m->look].type);
}

uint64_t replay_memory_row_bytes(const struct replay_memory_view *m)
{
    return m->row ? m->row : 16;
}

/* The number of bytes (8 to 32) that fit into w cells after the address. */
static unsigned row_that_fits(const struct replay_memory_view *m, int w)
{
    const struct replay_memory_look *look = &replay_memory_looks[m->look];
    int cell = memory_format_width(look->type, look->look) + 1;
    unsigned n = ROW_MAX;
    while (n > 8 &&
           (int)(n / replay_memory_element(m)) * cell + (int)(m->look == 0 ? n / 8 : 0) - 1 > w)
        n /= 2;
    return n;
}

static const char *region_note_of(const struct capture *c, const struct capture_region *g)
{
    if (g->error)
        return "lost";
    if (g->contains_kernarg)
        return "args";
    return c->has_after && !g->after_same && g->after.file ? "changed" : "";
}

static void draw_regions(struct canvas *c, struct rect r, const struct replay_memory_view *m,
                         const struct capture *cap)
{
    static const char *const segments[] = {"device", "host", "kernarg"};
    char size[VALUE_TEXT_MAX];
    int n = (int)cap->nregions, rows = r.h - 1, from = (int)m->region - rows / 2;
    from = from + rows > n ? n - rows : from;
    from = from < 0 ? 0 : from;
    canvas_text(c, r.x, r.y, r.w, "REGION                   SIZE  SEGMENT", STYLE(STYLE_HEADING));
    for (int i = from; i < n && i - from < rows; i++) {
        const struct capture_region *g = &cap->regions[i];
        struct value v = value_ok((double)g->size, UNIT_BYTES);
        int y = r.y + 1 + i - from;
        canvas_printf(c, r.x, y, r.w, STYLE(g->error ? STYLE_DIM : STYLE_TEXT),
                      "#%-3d 0x%-12" PRIx64 " %8s  %-7s %s", i, g->base,
                      value_format(&v, true, size), segments[g->segment], region_note_of(cap, g));
        if (i == (int)m->region)
            canvas_restyle(c, (struct rect){r.x, y, r.w, 1}, STYLE(STYLE_SELECTED));
    }
}

struct shown_bytes {
    uint8_t shown[ROW_MAX], other[ROW_MAX];
    size_t n;
    bool both; /* other has the same bytes from the other side of the kernel */
};

static void draw_element(struct canvas *c, int x, int y, int w, const struct replay_memory_view *m,
                         const struct shown_bytes *b, size_t i, bool here)
{
    size_t size = replay_memory_element(m), n = b->n - i < size ? b->n - i : size;
    char text[64];
    bool differs = b->both && memcmp(b->shown + i, b->other + i, n) != 0;
    memory_format(replay_memory_looks[m->look].type, replay_memory_looks[m->look].look,
                  b->shown + i, n, text, sizeof text);
    struct style st = STYLE(differs ? STYLE_DIFF_UP : STYLE_TEXT);
    st.underline = differs;
    canvas_text_right(c, x, y, w, text + strspn(text, " "), st);
    if (here)
        canvas_restyle(c, (struct rect){x, y, w, 1}, STYLE(STYLE_SELECTED));
}

static void draw_bytes(struct canvas *c, struct rect r, const struct replay_memory_view *m,
                       const struct capture_region *g, uint64_t offset, const struct shown_bytes *b)
{
    int w = memory_format_width(replay_memory_looks[m->look].type,
                                replay_memory_looks[m->look].look),
        x = r.x + ADDRESS;
    canvas_printf(c, r.x, r.y, ADDRESS - 1, STYLE(STYLE_DIM), "0x%012" PRIx64, g->base + offset);
    for (size_t i = 0; i < b->n; i += replay_memory_element(m)) {
        if (x + w > r.x + r.w)
            break;
        draw_element(c, x, r.y, w, m, b, i, offset + i == m->at);
        x += w + 1 + (m->look == 0 && i % 8 == 7);
    }
    /* a short row: its characters stand below those of full rows */
    x += (int)(replay_memory_row_bytes(m) - b->n) * (w + 1);
    for (size_t i = 0;
         m->look == 0 && i < b->n && x + 1 + (int)replay_memory_row_bytes(m) <= r.x + r.w; i++)
        canvas_put(c, x + 1 + (int)i, r.y,
                   b->shown[i] >= ' ' && b->shown[i] < 0x7f ? b->shown[i] : '.', STYLE(STYLE_DIM));
}

/* Returns false while the data is still being read. */
static bool fetch_bytes(struct capture_look *l, const struct replay_memory_view *m, uint64_t offset,
                        struct shown_bytes *b, const char **why)
{
    const char *none;
    if (capture_look_bytes(l, m->region, m->after, offset, b->shown, b->n, why) != LOOK_THERE)
        return false;
    b->both =
        capture_look_bytes(l, m->region, !m->after, offset, b->other, b->n, &none) == LOOK_THERE;
    return true;
}

static void draw_memory(struct canvas *c, struct rect r, struct replay_memory_view *m,
                        const struct capture *cap, struct capture_look *l)
{
    const struct capture_region *g = &cap->regions[m->region];
    m->rows = r.h;
    m->row = row_that_fits(m, r.w - ADDRESS);
    m->top -= m->top % m->row;
    for (int i = 0; i < r.h; i++) {
        uint64_t offset = m->top + (uint64_t)i * replay_memory_row_bytes(m);
        struct shown_bytes b = {.n = replay_memory_row_bytes(m)};
        const char *why = "";
        if (offset >= g->size)
            return;
        if (g->size - offset < replay_memory_row_bytes(m))
            b.n = (size_t)(g->size - offset);
        if (!fetch_bytes(l, m, offset, &b, &why)) {
            wrap_draw(c, (struct rect){r.x, r.y + i, r.w, r.h - i}, *why ? why : "reading …",
                      STYLE(*why ? STYLE_WARN : STYLE_DIM));
            return;
        }
        draw_bytes(c, (struct rect){r.x, r.y + i, r.w, 1}, m, g, offset, &b);
    }
}

static void draw_memory_foot(struct canvas *c, int x, int y, int w, struct replay_memory_view *m)
{
    static const char hint[] = "t type  b before/after  [ ] difference  / n value  g address  "
                               "Enter follows  Tab region";
    if (m->asking) {
        int used = canvas_text(c, x, y, w,
                               m->asking == ASK_ADDRESS ? "address or #region+offset: "
                                                        : "value in the type shown: ",
                               STYLE(STYLE_HOT));
        line_edit_draw(c, x + used, y, w - used, &m->line, STYLE(STYLE_TITLE));
    } else if (m->said[0]) {
        canvas_text(c, x, y, w, m->said, STYLE(STYLE_WARN));
    } else {
        canvas_text(c, x, y, w, hint, STYLE(STYLE_DIM));
    }
}

void replay_memory_draw(struct canvas *c, struct rect r, struct replay_memory_view *m,
                        const struct capture *cap, struct capture_look *l)
{
    struct rect list = {r.x, r.y, LIST_W, r.h - 2}, memory = {r.x, r.y, r.w, r.h - 2};
    if (r.w >= BESIDE_FROM) {
        memory.x += LIST_W + 2;
        memory.w -= LIST_W + 2;
    } else {
        int rows = (int)cap->nregions + 1;
        list.w = r.w;
        list.h = rows < memory.h / 3 ? rows : memory.h / 3;
        memory.y += list.h + 1;
        memory.h -= list.h + 1;
    }
    draw_regions(c, list, m, cap);
    draw_memory(c, memory, m, cap, l);
    draw_memory_foot(c, r.x, r.y + r.h - 1, r.w, m);
}
