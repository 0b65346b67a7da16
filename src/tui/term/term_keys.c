
#include "base/env.h"
#include "tui/term/term_impl.h"

static const struct {
    int curses;
    uint32_t key;
} special[] = {
    {KEY_UP, KEY_UP_},
    {KEY_DOWN, KEY_DOWN_},
    {KEY_LEFT, KEY_LEFT_},
    {KEY_RIGHT, KEY_RIGHT_},
    {KEY_PPAGE, KEY_PGUP},
    {KEY_NPAGE, KEY_PGDN},
    {KEY_HOME, KEY_HOME_},
    {KEY_END, KEY_END_},
    {KEY_IC, KEY_INSERT},
    {KEY_DC, KEY_DELETE},
    {KEY_BTAB, KEY_BACKTAB},
    {KEY_ENTER, KEY_ENTER_},
    {KEY_BACKSPACE, KEY_BACKSPACE_},
};

/* Sequences that have no portable name in terminfo, as xterm and most others send them. */
enum { ANSWER = 2999, FIRST_EXTRA = 3000 };
static const struct {
    const char *sequence;
    uint32_t key;
} extra[] = {
    {"\033[1;5D", KEY_CTRL_LEFT}, {"\033[1;5C", KEY_CTRL_RIGHT}, {"\033[1;5A", KEY_CTRL_UP},
    {"\033[1;5B", KEY_CTRL_DOWN}, {"\033[1;2D", KEY_SHIFT_LEFT}, {"\033[1;2C", KEY_SHIFT_RIGHT},
    {"\033Od", KEY_CTRL_LEFT},    {"\033Oc", KEY_CTRL_RIGHT},
};

void term_keys_define(void)
{
    define_key("\033[0n", ANSWER);
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++)
        define_key(extra[i].sequence, FIRST_EXTRA + (int)i);
}

void term_mouse_on(struct term *t)
{
    if (!t->mouse)
        return;
    mousemask(BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED |
                  BUTTON5_PRESSED,
              NULL);
    mouseinterval(0); /* do not wait for a double click */
}

static bool mouse_event(struct key_event *key)
{
    MEVENT m;
    if (getmouse(&m) != OK)
        return false;
    *key = (struct key_event){.key = KEY_MOUSE_, .x = m.x, .y = m.y};
    if (m.bstate & BUTTON1_PRESSED)
        key->button = MOUSE_LEFT;
    else if (m.bstate & BUTTON2_PRESSED)
        key->button = MOUSE_MIDDLE;
    else if (m.bstate & BUTTON3_PRESSED)
        key->button = MOUSE_RIGHT;
    else if (m.bstate & BUTTON4_PRESSED)
        key->button = MOUSE_WHEEL_UP;
    else if (m.bstate & BUTTON5_PRESSED)
        key->button = MOUSE_WHEEL_DOWN;
    return key->button != 0;
}

static bool special_key(int code, struct key_event *key)
{
    if (code == KEY_MOUSE)
        return mouse_event(key);
    if (code >= KEY_F(1) && code <= KEY_F(12)) {
        key->key = KEY_F1 + (uint32_t)(code - KEY_F(1));
        return true;
    }
    if (code >= FIRST_EXTRA && code < FIRST_EXTRA + (int)(sizeof extra / sizeof *extra)) {
        key->key = extra[code - FIRST_EXTRA].key;
        return true;
    }
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].curses == code) {
            key->key = special[i].key;
            return true;
        }
    return false;
}

static void take_flow_answer(struct term *t)
{
    flow_answered(&t->flow, env_now_ns());
    t->answered = true;
    t->answer = 0;
}

/* Recognises an answer that came in pieces, so slowly that the pieces look like keys. */
static bool piece_of_answer(struct term *t, uint32_t key)
{
    bool starts = t->answer == 0 && (key == KEY_ALT + '[' || key == KEY_ESCAPE);
    if (!t->flow.asked || (t->answer == 0 && !starts))
        return false;
    if (starts) {
        t->answer = key == KEY_ESCAPE ? 1 : 2;
        return key != KEY_ESCAPE; /* a single Escape may be the key, so it is passed on */
    }
    static const char rest[] = " [0n";
    if (key != (unsigned char)rest[t->answer]) {
        t->answer = 0;
        return false;
    }
    if (++t->answer == (int)sizeof rest - 1)
        take_flow_answer(t);
    return true;
}

bool term_key_read(struct term *t, struct key_event *key)
{
    wint_t ch;
    for (;;) {
        *key = (struct key_event){0};
        int rc = get_wch(&ch);
        if (rc == ERR)
            return false;
        if (rc == KEY_CODE_YES && ch == ANSWER) {
            take_flow_answer(t);
            continue;
        }
        if (rc == KEY_CODE_YES) {
            if (special_key((int)ch, key))
                return true;
            continue; /* a key without a meaning here */
        }
        key->key = (uint32_t)ch;
        /* Alt sends Escape first; a character that comes in the same read belongs to it */
        if (ch == KEY_ESCAPE && (rc = get_wch(&ch)) != ERR) {
            if (rc == KEY_CODE_YES)
                ungetch((int)ch);
            else if (ch > ' ' && ch < 0x7f)
                key->key = KEY_ALT + (uint32_t)ch;
            else
                unget_wch((wchar_t)ch);
        }
        if (key->key != 0 && !piece_of_answer(t, key->key))
            return true;
    }
}
