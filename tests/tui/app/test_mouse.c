/* Draws only: not for TSan. */
/* What can be clicked is drawn and does what its key does; nothing else can be clicked. */
#include <stdio.h>
#include <string.h>

#include "support/scenes.h"
#include "support/stage.h"
#include "tui/app/commands.h"
#include "tui/overlays/overlays_impl.h"
#include "support/test.h"

static struct stage s;

FIXTURE(vm)
{
    stage_open(&s, "vm", 120, 40, 3);
}

FIXTURE(teardown)
{
    stage_close(&s);
}

static struct view_state *list(void)
{
    return &s.a->state[s.a->view];
}

static void click_on(const char *text, int button)
{
    int x, y;
    if (!stage_find(&s, text, &x, &y))
        fail_msg("'%s' is not on the screen\n%s", text, s.screen);
    stage_click(&s, x, y, button);
}

static bool blank(int x, int y)
{
    uint32_t ch = s.c.cells[y * s.c.cols + x].ch;
    return ch == ' ' || ch == 0x2500 || ch == 0x2502;
}

/* A zone lies on the screen, has a known action, and lies over something that is drawn. If it is a
 * single row but not a whole line, text fills it except for a cell at each end. */
static void check_zones(const char *where)
{
    for (int i = 0; i < s.a->nzones; i++) {
        struct zone z = s.a->zones[i];
        if (z.action < 0 || z.action >= ACTION_COUNT)
            fail_msg("%s: zone %d has action %d", where, i, z.action);
        if (z.r.x < 0 || z.r.y < 0 || z.r.w < 1 || z.r.h < 1 || z.r.x + z.r.w > s.c.cols ||
            z.r.y + z.r.h > s.c.rows)
            fail_msg("%s: zone of %s lies outside: %d,%d %dx%d", where, action_table[z.action].name,
                     z.r.x, z.r.y, z.r.w, z.r.h);
        bool covered = false; /* by an overlay that was drawn later */
        for (int k = i + 1; k < s.a->nzones; k++)
            covered |= s.a->zones[k].action == ACTION_NONE;
        if (z.action == ACTION_NONE || z.action == ACTION_BACK || z.r.h > 1 || covered)
            continue;
        int drawn = 0, first = -1, last = -1;
        for (int x = z.r.x; x < z.r.x + z.r.w; x++)
            if (!blank(x, z.r.y)) {
                drawn++;
                first = first < 0 ? x : first;
                last = x;
            }
        if (strncmp(action_table[z.action].name, "tab-", 4) == 0)
            last = z.r.x + z.r.w - 1; /* all tabs have one width, whatever their names */
        if (!drawn || first > z.r.x + 1 || last < z.r.x + z.r.w - 2)
            fail_msg("%s: the zone of %s at %d,%d (%d wide) is beside its text\n%s", where,
                     action_table[z.action].name, z.r.x, z.r.y, z.r.w, s.screen);
    }
}

TEST_WITH(zones_lie_on_what_is_drawn, vm, teardown)
{
    static const struct {
        int cols, rows;
    } sizes[] = {{40, 10}, {57, 14}, {80, 24}, {120, 40}, {200, 50}};
    static const char *const keys[] = {"",   "?",  "i", "\r", "b",   ":",  "/",   "e", "P", "0",
                                       "0m", "PP", "2", "2?", "2\r", "2b", "2be", "o", "p"};
    for (int m = 0; scene_names[m]; m++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                char where[96];
                stage_close(&s);
                stage_open(&s, scene_names[m], sizes[i].cols, sizes[i].rows, 3);
                stage_type(&s, keys[k]);
                snprintf(where, sizeof where, "%s %dx%d '%s'", scene_names[m], sizes[i].cols,
                         sizes[i].rows, keys[k]);
                check_zones(where);
            }
}

/* The topmost zone at a cell, or NULL. */
static const struct zone *zone_at(const struct canvas *c, int x, int y)
{
    for (int i = c->nzones - 1; i >= 0; i--) {
        struct rect r = c->zones[i].r;
        if (x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h)
            return &c->zones[i];
    }
    return NULL;
}

/* Every zone reacts to a click: none has an action without a handler. */
TEST_WITH(every_zone_does_something, vm, teardown)
{
    static const char *const keys[] = {"", "?", "b", "\r", "p", "2", "f", "o"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int i = 0, n = 1; i < n; i++) {
            stage_close(&s);
            stage_open(&s, "zen4", 120, 40, 3);
            stage_type(&s, keys[k]);
            n = s.a->nzones;
            if (i >= n)
                break;
            struct zone z = s.a->zones[i];
            const struct zone *top = zone_at(&s.c, z.r.x, z.r.y);
            if (top != &s.c.zones[i]) /* something covers it here */
                continue;
            char before[sizeof s.screen];
            memcpy(before, s.screen, sizeof before);
            stage_click(&s, z.r.x, z.r.y, MOUSE_LEFT);
            if (z.action != ACTION_NONE && !s.asked)
                fail_msg("'%s': a click for %s is not answered\n%s", keys[k],
                         action_table[z.action].name, before);
        }
}

/* Every action can be reached: by a key that help shows, a command, or the mouse. */
TEST_WITH(every_action_can_be_reached, vm, teardown)
{
    bool told[ACTION_COUNT] = {false};
    canvas_resize(&s.c, 118, 300);
    stage_look(&s);
    stage_key(&s, '?');
    for (int sheet = 0; sheet < 9; sheet++, stage_key(&s, KEY_TAB))
        for (int i = 1; i < ACTION_COUNT; i++) {
            char part[24], keys[64];
            snprintf(part, sizeof part, "%s", action_table[i].help);
            told[i] = told[i] ||
                      (stage_sees(&s, part) && stage_sees(&s, help_keys((enum action)i, keys)));
        }
    for (int i = 1; i < ACTION_COUNT; i++) {
        const struct action_info *info = &action_table[i];
        bool of_view = strncmp(info->name, "view-", 5) == 0; /* the digit of its tab leads there */
        if (info->contexts != CONTEXT_MOUSE && !info->keys[0] && !of_view &&
            !command_find(info->name))
            fail_msg("%s has neither a key nor a command", info->name);
        assert_true(info->contexts != 0);
        if (!told[i])
            fail_msg("help does not say '%s' with its keys", info->help);
    }
}

TEST_WITH(the_footer_always_leads_on, vm, teardown)
{
    static const char *const keys[] = {"", "2", "?", "b", "\r", ":"};
    for (int w = 40; w <= 200; w += 8)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const bool over =
                k >= 2; /* letters may be typed into what is open: only Escape leads on */
            stage_close(&s);
            stage_open(&s, "zen4", w, 30, 3);
            stage_type(&s, keys[k]);
            stage_row(&s, 29);
            assert_true(!strstr(s.row, "? Help") == over);
            assert_true(!strstr(s.row, ": Command") == over);
            assert_true(!!strstr(s.row, "Escape Close") == over);
        }
    click_on("Escape Close", MOUSE_LEFT);
    assert_null(s.a->overlay);
    stage_close(&s);
    stage_open(&s, "vm", 80, 24, 3);
    click_on(": Command", MOUSE_LEFT);
    assert_true(s.a->overlay == &overlay_palette);
    stage_key(&s, KEY_ESCAPE);
    click_on("Tab View", MOUSE_LEFT);
    assert_string_equal(views[s.a->view]->name, "counters");
    click_on("1 summary", MOUSE_LEFT);
    assert_string_equal(views[s.a->view]->name, "overview");
}

TEST_WITH(heads_of_columns_sort, vm, teardown)
{
    click_on("RSS", MOUSE_LEFT);
    assert_true(stage_sees(&s, "processes by memory"));
    assert_true(stage_sees(&s, "RSS▾"));
    click_on("RSS", MOUSE_LEFT);
    assert_true(stage_sees(&s, "RSS▴"));
    click_on("COMMAND", MOUSE_LEFT);
    assert_true(stage_sees(&s, "processes by command"));
    assert_false(list()->reverse);
    stage_key(&s, '2');
    click_on("COUNTED", MOUSE_LEFT);
    assert_true(stage_sees(&s, "counters by share counted"));
}

TEST_WITH(rows_open_their_menu, vm, teardown)
{
    struct rect l = list()->list;
    stage_click(&s, l.x + 20, l.y + 3, MOUSE_RIGHT); /* opens at once */
    assert_true(s.a->overlay == &overlay_menu);
    assert_string_equal(s.a->overlay_key, list()->selected_key);
    assert_int_equal(list()->selected, 3);
    assert_true(s.a->menu_x == l.x + 20);
    stage_click(&s, 0, l.y + 15, MOUSE_LEFT); /* a click beside it only closes it */
    assert_null(s.a->overlay);
    assert_int_equal(list()->selected, 3);
    stage_click(&s, l.x + 5, l.y + 1, MOUSE_LEFT);
    assert_null(s.a->overlay);
    stage_click(&s, l.x + 5, l.y + 1, MOUSE_LEFT); /* the second one */
    assert_true(s.a->overlay == &overlay_menu);
    click_on("explain: what is known", MOUSE_LEFT); /* a click on an entry carries it out at once */
    assert_true(stage_sees(&s, "─ explain ─"));
    click_on("Esc close", MOUSE_LEFT);
    assert_null(s.a->overlay);
    stage_click(&s, l.x + 5, l.y + 2, MOUSE_MIDDLE); /* does nothing */
    assert_null(s.a->overlay);
}

TEST_WITH(titles_expand, vm, teardown)
{
    click_on(" memory ", MOUSE_LEFT); /* the gap beside the title does not belong to it */
    click_on("memory", MOUSE_LEFT);
    assert_int_equal(list()->expanded, BOX_MEMORY + 1);
    click_on("memory", MOUSE_LEFT);
    assert_int_equal(list()->expanded, 0);
    click_on("processes by", MOUSE_LEFT);
    assert_int_equal(list()->expanded, BOX_PROCS + 1);
}

TEST_WITH(warnings_lead_to_help, vm, teardown)
{
    struct snapshot *snap = scene("vm", 4);
    snapshot_add_notice(snap, NOTICE_WARN, "test", "something is wrong", "mend it");
    app_update(s.a, snap);
    snapshot_unref(snap);
    stage_look(&s);
    click_on("! see ?", MOUSE_LEFT);
    assert_true(stage_sees(&s, "─ help ─") && stage_sees(&s, "something is wrong"));
    stage_key(&s, KEY_ESCAPE);
    click_on("? says more", MOUSE_LEFT);
    assert_true(stage_sees(&s, "─ help ─"));
}

TEST_WITH(the_wheel_scrolls_what_is_open, vm, teardown)
{
    stage_key(&s, '?');
    stage_click(&s, 50, 20, MOUSE_WHEEL_DOWN);
    int scroll = s.a->overlay_state.scroll;
    stage_click(&s, 50, 20, MOUSE_WHEEL_UP);
    assert_true(scroll >= s.a->overlay_state.scroll);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, ':');
    stage_click(&s, 50, 5, MOUSE_WHEEL_DOWN);
    assert_int_equal(s.a->overlay_state.selected, 3);
    struct rect l = s.a->overlay_state.list;
    stage_click(&s, l.x + 2, l.y, MOUSE_LEFT); /* "view NAME" needs an argument */
    assert_true(stage_sees(&s, ":view "));
}

/* Output that was scrolled back stays where it is; at its end, it follows new output again. */
static struct snapshot *output(int lines, char *text, size_t size)
{
    struct snapshot *snap = scene("command", 5);
    size_t n = 0;
    for (int i = 0; i < lines; i++)
        n += (size_t)snprintf(text + n, size - n, "line %d of it\n", i);
    size_t kept = n > 2000 ? 2000 : n;
    while (kept < n && text[n - kept - 1] != '\n')
        kept--;
    snap->command.output = snapshot_strdup(snap, text + n - kept);
    snap->command.output_len = kept;
    snap->command.output_total = n;
    return snap;
}

static void show_output(int lines)
{
    static char text[65536];
    struct snapshot *snap = output(lines, text, sizeof text);
    app_update(s.a, snap);
    snapshot_unref(snap);
    stage_look(&s);
}

TEST_WITH(output_stays_where_it_is_read, vm, teardown)
{
    char before[1024];
    show_output(100);
    stage_key(&s, 'o');
    assert_true(stage_sees(&s, "line 99 of it"));
    show_output(110);
    assert_true(stage_sees(&s, "line 109 of it")); /* it follows the end */
    stage_click(&s, 30, 10, MOUSE_WHEEL_UP);
    stage_key(&s, KEY_PGUP);
    snprintf(before, sizeof before, "%s", stage_row(&s, 10));
    for (int n = 111; n < 150; n += 7) {
        show_output(n);
        assert_string_equal(stage_row(&s, 10), before);
    }
    stage_key(&s, KEY_END_);
    assert_true(stage_sees(&s, "line 145 of it"));
    show_output(151);
    assert_true(stage_sees(&s, "line 150 of it"));
    stage_key(&s, 'g');
    show_output(400); /* the lines that were shown are no longer kept: the oldest ones are shown */
    assert_false(stage_sees(&s, "line 399 of it"));
}

TEST_WITH(output_is_searched_and_not_filtered, vm, teardown)
{
    show_output(140);
    stage_key(&s, 'o');
    assert_null(strstr(stage_row(&s, 39), "Filter"));
    stage_key(&s, '\\');
    assert_true(s.a->prompt == PROMPT_NONE);
    stage_key(&s, '/');
    stage_type(&s, "LINE 50 ");
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "line 50 of it") && !stage_sees(&s, "line 139 of it"));
    int x, y;
    assert_true(stage_find(&s, "line 50 of it", &x, &y));
    assert_int_equal(s.c.cells[y * s.c.cols + x].style.role, STYLE_SELECTED);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, '/');
    stage_type(&s, "0 of");
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_find(&s, "line 50 of it", &x, &y) || stage_sees(&s, "0 of it"));
    uint64_t hit = list()->hit;
    stage_key(&s, 'n');
    assert_true(list()->hit > hit);
    stage_key(&s, 'N');
    assert_true(list()->hit == hit);
}
