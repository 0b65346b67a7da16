/*
 * The captured memory: the list of regions, and one region as hex or numbers, before and after the
 * kernel. Differences are marked.
 */
#include "tui/views/replay/replay_overlays.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/widgets/wrap.h"

static struct capture_look *look_of(struct app *a, const struct capture **c, const char **why)
{
    struct capture_look *l = replay_look_of(a);
    *c = NULL;
    *why = "the capture is not here any more";
    if (l)
        *c = capture_look_capture(l, why);
    return l;
}

/* --- moving --- */

static void say_in_memory(struct replay_memory_view *at, const char *text)
{
    snprintf(at->said, sizeof at->said, "%s", text);
}

static void move_in_memory(struct replay_memory_view *at, const struct capture *c, size_t region,
                           uint64_t offset)
{
    uint64_t size = c->regions[region].size;
    at->region = region;
    if (offset >= size)
        offset = size ? size - 1 : 0;
    at->at = offset - offset % replay_memory_element(at);
    uint64_t row = at->at - at->at % replay_memory_row_bytes(at),
             page = (uint64_t)(at->rows > 1 ? at->rows : 1) * replay_memory_row_bytes(at);
    if (row < at->top || row >= at->top + page)
        at->top = row > page / 2
                      ? (row - page / 2) / replay_memory_row_bytes(at) * replay_memory_row_bytes(at)
                      : 0;
}

static bool go_to_address(struct replay_memory_view *at, const struct capture *c, uint64_t address)
{
    const struct capture_region *r = capture_region_at(c, address);
    if (r)
        move_in_memory(at, c, (size_t)(r - c->regions), address - r->base);
    else
        snprintf(at->said, sizeof at->said, "0x%" PRIx64 " lies in no captured region", address);
    return r != NULL;
}

void replay_memory_go(struct app *a, uint64_t address)
{
    char key[VIEW_TEXT_MAX];
    snprintf(key, sizeof key, "%s", a->overlay_key);
    overlay_open(a, &overlay_replay_memory, key);
    ((struct replay_memory_view *)a->overlay_own)->go = address;
}

static void step_cursor(struct replay_memory_view *at, const struct capture *c, int64_t by)
{
    uint64_t size = c->regions[at->region].size, to = at->at;
    if (by < 0)
        to = to < (uint64_t)-by ? 0 : to - (uint64_t)-by;
    else if (to + (uint64_t)by < size)
        to += (uint64_t)by;
    else
        to = size ? size - 1 : 0;
    uint64_t row = to - to % replay_memory_row_bytes(at),
             page = (uint64_t)(at->rows > 1 ? at->rows : 1) * replay_memory_row_bytes(at);
    if (row < at->top)
        at->top = row;
    if (row >= at->top + page)
        at->top = row - page + replay_memory_row_bytes(at);
    at->at = to - to % replay_memory_element(at);
}

static void search_memory(struct app *a, bool difference, bool backwards)
{
    struct replay_memory_view *at = a->overlay_own;
    const struct capture *c;
    const char *why;
    struct capture_look *l = look_of(a, &c, &why);
    struct look_search s = {.difference = difference,
                            .after = at->after,
                            .size = at->pattern_size,
                            .region = at->region,
                            .offset = at->at,
                            .backwards = backwards};
    if (!c)
        return;
    if (!difference && at->pattern_size == 0) {
        say_in_memory(at, "no value is searched for: / asks for one");
        return;
    }
    if (difference && !c->has_after) {
        say_in_memory(at, "captured without --post: memory after the kernel is unknown");
        return;
    }
    memcpy(s.pattern, at->pattern, sizeof s.pattern);
    capture_look_find(l, &s);
    say_in_memory(at, "searching …");
}

static void take_hit(struct replay_memory_view *at, const struct capture *c, struct capture_look *l)
{
    struct look_hit hit;
    if (!capture_look_found(l, &hit))
        return;
    if (hit.found) {
        say_in_memory(at, "");
        move_in_memory(at, c, hit.region, hit.offset);
    } else {
        snprintf(at->said, sizeof at->said, "no more that way%s%.150s", hit.why[0] ? "; " : "",
                 hit.why);
    }
}

/* Goes to the address that the eight bytes under the cursor hold. */
static void follow_pointer(struct replay_memory_view *at, const struct capture *c,
                           struct capture_look *l)
{
    uint8_t bytes[8];
    const char *why = "";
    uint64_t from = at->at - at->at % 8;
    if (from + 8 > c->regions[at->region].size) {
        say_in_memory(at, "there are no eight bytes here");
        return;
    }
    switch (capture_look_bytes(l, at->region, at->after, from, bytes, 8, &why)) {
    case LOOK_THERE:
        go_to_address(at, c, memory_bits(MEMORY_U64, bytes));
        break;
    case LOOK_COMING:
        say_in_memory(at, "it is still being read");
        break;
    case LOOK_MISSING:
        say_in_memory(at, why);
        break;
    }
}

/* --- typed addresses and values --- */

/* Reads "0x7f…", "#3" or "#3+0x10": an address, or a region of the list. */
static void read_memory_address(struct replay_memory_view *at, const struct capture *c,
                                const char *text)
{
    char *end;
    if (*text == '#') {
        uint64_t region = strtoull(text + 1, &end, 10), offset = 0;
        if (*end == '+')
            offset = strtoull(end + 1, &end, 0);
        if (*end || region >= c->nregions)
            say_in_memory(at, "no such region");
        else
            move_in_memory(at, c, (size_t)region, offset);
        return;
    }
    uint64_t address = strtoull(text, &end, 0);
    if (end == text || *end)
        say_in_memory(at, "an address (0x…), or #REGION+OFFSET");
    else
        go_to_address(at, c, address);
}

/* Reads a value of the shown type into the pattern, little endian. */
static bool read_memory_value(struct replay_memory_view *at, const char *text)
{
    char *end;
    enum memory_type type = replay_memory_looks[at->look].type;
    size_t size = memory_type_size(type);
    uint64_t bits = 0;
    errno = 0;
    if (type == MEMORY_F32) {
        float f = strtof(text, &end);
        memcpy(&bits, &f, sizeof f);
    } else if (type == MEMORY_F64) {
        double d = strtod(text, &end);
        memcpy(&bits, &d, sizeof d);
    } else if (type == MEMORY_F16 || type == MEMORY_BF16) {
        double want = strtod(text, &end); /* all 65536 bit patterns are tried: they are few */
        for (bits = 0; bits < 0x10000 && memory_number(type, bits) != want;)
            bits++;
        if (bits == 0x10000)
            return false;
    } else {
        bits = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
        if (size < 8 && bits >> (8 * size) && bits >> (8 * size) != UINT64_MAX >> (8 * size))
            return false;
    }
    if (end == text || *end || errno == ERANGE)
        return false;
    for (size_t i = 0; i < 8; i++)
        at->pattern[i] = (uint8_t)(bits >> (8 * i));
    at->pattern_size = size;
    return true;
}

static unsigned type_key(struct app *a, const struct capture *c, uint32_t key)
{
    struct replay_memory_view *at = a->overlay_own;
    if (key == KEY_ESCAPE) {
        at->asking = ASK_NOTHING;
    } else if (key == KEY_ENTER_ || key == '\n') {
        enum asking asked = at->asking;
        at->asking = ASK_NOTHING;
        if (asked == ASK_ADDRESS && at->line.text[0])
            read_memory_address(at, c, at->line.text);
        else if (asked == ASK_VALUE && !read_memory_value(at, at->line.text))
            say_in_memory(at, "that is no value of the type shown: t changes it");
        else if (asked == ASK_VALUE)
            search_memory(a, false, false);
    } else {
        line_edit_key(&at->line, key);
    }
    return APP_REDRAW;
}

static void ask_for(struct replay_memory_view *at, enum asking what)
{
    at->asking = what;
    at->line = (struct line_edit){0};
}

/* --- keys --- */

static bool move_key(struct replay_memory_view *at, const struct capture *c, uint32_t key)
{
    int64_t page =
        (int64_t)(at->rows > 1 ? at->rows - 1 : 1) * (int64_t)replay_memory_row_bytes(at);
    switch (key) {
    case KEY_LEFT_:
    case 'h':
        step_cursor(at, c, -(int64_t)replay_memory_element(at));
        return true;
    case KEY_RIGHT_:
    case 'l':
        step_cursor(at, c, (int64_t)replay_memory_element(at));
        return true;
    case KEY_UP_:
    case 'k':
        step_cursor(at, c, -(int64_t)replay_memory_row_bytes(at));
        return true;
    case KEY_DOWN_:
    case 'j':
        step_cursor(at, c, (int64_t)replay_memory_row_bytes(at));
        return true;
    case KEY_PGUP:
        step_cursor(at, c, -page);
        return true;
    case KEY_PGDN:
        step_cursor(at, c, page);
        return true;
    case KEY_HOME_:
        move_in_memory(at, c, at->region, 0);
        return true;
    case KEY_END_:
        move_in_memory(at, c, at->region, UINT64_MAX);
        return true;
    case KEY_TAB:
        move_in_memory(at, c, (at->region + 1) % c->nregions, 0);
        return true;
    case KEY_BACKTAB:
        move_in_memory(at, c, (at->region + c->nregions - 1) % c->nregions, 0);
        return true;
    default:
        return false;
    }
}

static bool other_key(struct app *a, const struct capture *c, struct capture_look *l, uint32_t key)
{
    struct replay_memory_view *at = a->overlay_own;
    switch (key) {
    case 't':
    case 'T':
        at->look = (at->look + (key == 't' ? 1 : REPLAY_MEMORY_LOOKS - 1)) % REPLAY_MEMORY_LOOKS;
        replay_state_of(a)->memory_look = at->look;
        move_in_memory(at, c, at->region, at->at);
        return true;
    case 'b':
        at->after = !at->after;
        return true;
    case ']':
    case '[':
        search_memory(a, true, key == '[');
        return true;
    case 'n':
    case 'N':
        search_memory(a, false, key == 'N');
        return true;
    case '/':
        ask_for(at, ASK_VALUE);
        return true;
    case 'g':
        ask_for(at, ASK_ADDRESS);
        return true;
    case KEY_ENTER_:
    case '\n':
        follow_pointer(at, c, l);
        return true;
    default:
        return false;
    }
}

static unsigned replay_memory_key(struct app *a, const struct key_event *ev)
{
    struct replay_memory_view *at = a->overlay_own;
    const struct capture *c;
    const char *why;
    struct capture_look *l = look_of(a, &c, &why);
    if (!c || c->nregions == 0 || ev->key == KEY_MOUSE_ || ev->key == 3)
        return 0;
    if (at->asking)
        return type_key(a, c, ev->key);
    at->said[0] = '\0';
    return move_key(at, c, ev->key) || other_key(a, c, l, ev->key) ? APP_REDRAW : 0;
}

static void memory_opened(struct app *a)
{
    struct replay_memory_view *at = a->overlay_own;
    const struct replay_run *run = replay_state_of(a)->all.run;
    const struct replay_row *row = replay_row_of(a);
    at->look = replay_state_of(a)->memory_look;
    replay_look_of(a);
    if (!run || !row || strcmp(replay_state_of(a)->all.run_path, row->path) != 0)
        return;
    /* the replay of this capture reported an address */
    if (run->has_address)
        at->go = run->address;
    else if (run->has_result && run->result.verify.n)
        at->go = run->result.verify.differences[0].address;
}

static void draw_replay_memory(struct app *a, struct canvas *c, struct rect area)
{
    struct replay_memory_view *at = a->overlay_own;
    const struct capture *cap;
    const char *why;
    char title[64], right[64];
    struct capture_look *l = look_of(a, &cap, &why);
    snprintf(title, sizeof title, "memory %s the kernel, as %s", at->after ? "after" : "before",
             replay_memory_looks[at->look].name);
    if (cap && cap->nregions) {
        if (at->go)
            go_to_address(at, cap, at->go);
        at->go = 0;
        take_hit(at, cap, l);
    }
    snprintf(right, sizeof right, "#%zu + 0x%" PRIx64, at->region, at->at);
    canvas_fill(c, area, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, area, STYLE(STYLE_BOX_MEM), title, right);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (cap && cap->nregions) {
        replay_memory_draw(c, r, at, cap, l);
        return;
    }
    const char *text = *why ? why : "opening …";
    wrap_draw(c, r, cap ? "the capture has no memory" : text, STYLE(*why ? STYLE_CRIT : STYLE_DIM));
}

const struct overlay_ops overlay_replay_memory = {.name = "replay-memory",
                                                  .own_size = sizeof(struct replay_memory_view),
                                                  .opened = memory_opened,
                                                  .draw = draw_replay_memory,
                                                  .key = replay_memory_key};
