/* Forms: moving, typing, switching, and messages beside a field. */
#include <string.h>

#include "tui/widgets/form.h"
#include "support/test.h"

static struct form f;
static const char *const choices[] = {"first", "second", "third"};

FIXTURE(fresh)
{
    form_reset(&f);
    form_number(&f, "n", "number", 1, 100, 20, "help of n");
    form_flag(&f, "on", "switch", true, NULL, "help of on");
    form_flag(&f, "off", "fixed", false, "not here", "help of off");
    form_seconds(&f, "s", "seconds", 0.5, 60, 2.5, "help of s");
    form_text(&f, "t", "text", "", "help of t");
    form_choice(&f, "c", "choice", choices, 3, 1, "help of c");
}

static enum form_result press(uint32_t key)
{
    return form_key(&f, &(struct key_event){.key = key});
}

static void type(const char *text)
{
    for (; *text; text++)
        press((unsigned char)*text);
}

TEST_WITH(defaults_are_accepted, fresh, NULL)
{
    assert_int_equal(press(KEY_ENTER_), FORM_ACCEPTED);
    assert_true(form_value(&f, "n") == 20 && form_value(&f, "s") == 2.5);
    assert_true(form_on(&f, "on") && !form_on(&f, "off"));
    assert_string_equal(form_string(&f, "t"), "");
    assert_int_equal(press(KEY_ESCAPE), FORM_CLOSED);
}

TEST_WITH(keys_move_around, fresh, NULL)
{
    press(KEY_BACKTAB);
    assert_int_equal(f.at, 5);
    press(KEY_DOWN_);
    assert_int_equal(f.at, 0);
    press(KEY_TAB);
    press(' ');
    assert_false(form_on(&f, "on"));
    press(KEY_DOWN_);
    press(' '); /* it has no choices */
    assert_false(form_on(&f, "off"));
}

TEST_WITH(choices_go_around, fresh, NULL)
{
    f.at = 5;
    assert_int_equal(form_chosen(&f, "c"), 1);
    press(' ');
    assert_int_equal(form_chosen(&f, "c"), 2);
    press(KEY_RIGHT_);
    assert_int_equal(form_chosen(&f, "c"), 0);
    press(KEY_LEFT_);
    assert_int_equal(form_chosen(&f, "c"), 2);
    assert_int_equal(press('x'), FORM_IGNORED); /* it takes no text */
    assert_int_equal(press(KEY_ENTER_), FORM_ACCEPTED);
    form_reset(&f);
    form_choice(&f, "one", "one", choices, 1, 0, NULL);
    press(' ');
    press(KEY_LEFT_);
    assert_int_equal(form_chosen(&f, "one"), 0);
}

TEST_WITH(wrong_fields_keep_it_open, fresh, NULL)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {{"0", "1 to 100"},    {"101", "1 to 100"},     {"1.5", "a whole number is wanted"},
                 {"", "not a number"}, {"nan", "not a number"}, {"1e999", "not a number"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f.at = 0;
        press(21); /* ^U */
        type(wrong[i].text);
        f.at = 4;
        assert_int_equal(press(KEY_ENTER_), FORM_CHANGED);
        assert_int_equal(f.at, 0); /* the cursor goes to that field */
        assert_string_equal(form_find(&f, "n")->wrong, wrong[i].why);
    }
    press(21);
    type("100");
    assert_string_equal(form_find(&f, "n")->wrong, "");
    assert_int_equal(press(KEY_ENTER_), FORM_ACCEPTED);
}

TEST_WITH(its_owner_may_refuse, fresh, NULL)
{
    form_wrong(&f, "t", "no such file");
    assert_int_equal(f.at, 4);
    assert_int_equal(press(KEY_ENTER_), FORM_CHANGED);
    type("x"); /* until the field is changed */
    assert_int_equal(press(KEY_ENTER_), FORM_ACCEPTED);
}

TEST_WITH(a_form_is_drawn_and_clicked, fresh, NULL)
{
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 80, 24);
    form_wrong(&f, "t", "no such file");
    form_draw(&c, (struct rect){0, 0, 80, 24}, &f, "title", "start");
    form_key(&f,
             &(struct key_event){
                 .key = KEY_MOUSE_, .button = MOUSE_LEFT, .x = f.list.x + 3, .y = f.list.y + 1});
    assert_int_equal(f.at, 1);
    assert_false(form_on(&f, "on"));
    form_key(&f,
             &(struct key_event){
                 .key = KEY_MOUSE_, .button = MOUSE_LEFT, .x = f.list.x + 3, .y = f.list.y + 5});
    assert_int_equal(form_chosen(&f, "c"), 2);
    canvas_resize(&c, 20, 5); /* the smallest possible size */
    form_draw(&c, (struct rect){0, 0, 20, 5}, &f, "title", "start");
    canvas_free(&c);
}
