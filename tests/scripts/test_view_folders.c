/* A view is its folder and one line of the table: a tree without a view, and one with a view more.
 * (It compiles: not for TSan.) */
#include <stdlib.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

/* A copy of src/tui; all else is as it is. */
FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return system("mkdir $D/src && ln -s \"$PWD\"/src/* \"$PWD/include\" $D/src/ && rm $D/src/tui "
                  "&& " // NOLINT(cert-env33-c)
                  "cp -R src/tui $D/src/");
}

FIXTURE(end)
{
    compiled_free();
}

#define CC "cc -std=c17 -D_GNU_SOURCE -DROOFTOP_VERSION='\"1\"' -Isrc -Isrc/include "

/* These twelve at once; each alone is easier, as no view of them needs another one of them. Neither
 * the rest of the screen nor a command names them. */
#define GONE "optimize lab history syscalls functions steps counters gpu output path compare replay"

TEST(a_view_goes_with_its_folder_and_its_line)
{
    assert_true(compiled_shell("grep -c . src/tui/views/views.def >n && for v in " GONE
                               "; do rm -r src/tui/views/$v && sed -i \"/views.$v.view/d\" "
                               "src/tui/views/views.def; done && "
                               "test $(grep -c . src/tui/views/views.def) -eq $(($(cat n) - 12))"));
    assert_true(compiled_shell("find -L src/tui src/cli -name '*.c' | "
                               "xargs -n 30 " CC "-fsyntax-only"));
    assert_true(compiled_shell(CC "-E src/tui/views/views.c >table && grep -q view_tree table && "
                                  "for v in " GONE "; do ! grep -q view_$v table || exit 1; done"));
}

static const char keys[] =
    "VIEW(TOY, SUMMARY, toy, \"J\", \"a view of a test\")\n"
    "VIEW_CONTEXT(TOY, 9, CONTEXT_LIST, \"In the toy\")\n"
    "VIEW_ACTION(TOY_WIND, \"toy-wind\", \"x\", CONTEXT_TOY, \"Wind\", \"winds it up\")\n";

static const char toy[] =
    "#include \"tui/model/view.h\"\n"
    "static void draw_toy(struct canvas *c, struct rect r, const struct model *m, struct "
    "view_state *s)\n"
    "{\n"
    "    (void)m;\n"
    "    canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_TEXT), \"wound up %d times\", *(int "
    "*)s->own);\n"
    "}\n"
    "static enum view_result act_in_toy(enum action a, const struct model *m, struct view_state "
    "*s)\n"
    "{\n"
    "    (void)m;\n"
    "    *(int *)s->own += a == ACTION_TOY_WIND;\n"
    "    return a == ACTION_TOY_WIND ? VIEW_HANDLED : VIEW_IGNORED;\n"
    "}\n"
    "const struct view_ops view_toy = {.own_size = sizeof(int), .name = \"toy\", .title = "
    "\"toy\",\n"
    "    .select = ACTION_VIEW_TOY, .contexts = CONTEXT_LIST | CONTEXT_TOY, .draw = draw_toy,\n"
    "    .act = act_in_toy};\n";

/* Presses J, then x twice in the view, and draws it. */
static const char use[] =
    "#include <stdio.h>\n"
    "#include \"tui/canvas/render.h\"\n"
    "#include \"tui/model/view.h\"\n"
    "static enum action pressed(uint32_t key, unsigned contexts)\n"
    "{\n"
    "    return key_action(&(struct key_event){.key = key}, CONTEXT_GLOBAL | contexts);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    struct canvas c;\n"
    "    struct view_state s;\n"
    "    const struct view_ops *v = views[0];\n"
    "    canvas_init(&c);\n"
    "    canvas_resize(&c, 30, 1);\n"
    "    view_state_begin(&s, v);\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        v->act(pressed('x', v->contexts), NULL, &s);\n"
    "    view_draw(v, &c, (struct rect){0, 0, 30, 1}, NULL, &s);\n"
    "    printf(\"%s \", action_table[pressed('J', 0)].name);\n"
    "    render_text(stdout, &c);\n"
    "    view_state_end(&s, v);\n"
    "    canvas_free(&c);\n"
    "    return pressed('J', 0) != v->select || views[1] != NULL;\n"
    "}\n";

TEST(a_view_comes_with_its_folder_and_a_line)
{
    assert_true(compiled_shell("mkdir src/tui/views/toy"));
    compiled_write("src/tui/views/toy/view.def", keys);
    compiled_write("src/tui/views/toy/toy.c", toy);
    compiled_write("use.c", use);
    /* beside all others, as far as they ask for the table; then alone, to run it */
    assert_true(compiled_shell("sed -i 's|^#undef VIEW$|#include \"tui/views/toy/view.def\"\\n&|' "
                               "src/tui/views/views.def && " CC
                               "-fsyntax-only src/tui/views/toy/toy.c "
                               "src/tui/views/views.c src/tui/input/keys.c src/tui/overlays/help.c "
                               "src/tui/app/*.c"));
    assert_true(
        compiled_shell("sed -i '/^#include/{/toy/!d}' src/tui/views/views.def && " CC
                       "-o use use.c src/tui/views/toy/toy.c src/tui/views/views.c "
                       "src/tui/input/keys.c src/tui/canvas/canvas.c src/tui/canvas/style.c "
                       "src/tui/canvas/render_text.c src/tui/widgets/wrap.c src/base/arena.c "
                       "src/base/text.c src/base/error.c src/base/nearest.c "
                       "src/engine/value/list_field.c -lm"));
    program_answers("$D/use", 0, "view-toy wound up 2 times", "");
}

TEST_MAIN(begin, end)
