#include "tui/input/menu.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/value/query.h"

/* Returns NULL if the menu is full. */
static struct menu_entry *add_entry(struct menu *m, char letter, const char *fmt, va_list ap)
{
    if (m->n >= MENU_MAX)
        return NULL;
    struct menu_entry *e = &m->entries[m->n++];
    *e = (struct menu_entry){.letter = letter};
    vsnprintf(e->label, sizeof e->label, fmt, ap);
    return e;
}

void menu_action(struct menu *m, char letter, enum action act, const char *label_fmt, ...)
{
    va_list ap;
    va_start(ap, label_fmt);
    struct menu_entry *e = add_entry(m, letter, label_fmt, ap);
    va_end(ap);
    if (e)
        e->action = act;
}

void menu_command(struct menu *m, char letter, const char *command, const char *label_fmt, ...)
{
    va_list ap;
    va_start(ap, label_fmt);
    struct menu_entry *e = add_entry(m, letter, label_fmt, ap);
    va_end(ap);
    if (e)
        snprintf(e->command, sizeof e->command, "%s", command);
}

void menu_copy(struct menu *m, char letter, const char *text, const char *label_fmt, ...)
{
    va_list ap;
    va_start(ap, label_fmt);
    struct menu_entry *e = add_entry(m, letter, label_fmt, ap);
    va_end(ap);
    if (!e)
        return;
    e->copy = true;
    snprintf(e->command, sizeof e->command, "%s", text);
}

void menu_filter(struct menu *m, char letter, const char *field, const char *text,
                 const char *label_fmt, ...)
{
    va_list ap;
    va_start(ap, label_fmt);
    struct menu_entry *e = add_entry(m, letter, label_fmt, ap);
    va_end(ap);
    if (!e)
        return;
    size_t n = (size_t)snprintf(e->command, 64, "filter %.40s=\"", field);
    for (; *text && n < QUERY_MAX - 4; text++) {
        if (*text == '"' || *text == '\\')
            e->command[n++] = '\\';
        e->command[n++] = *text;
    }
    snprintf(e->command + n, sizeof e->command - n, "\"");
    if (*text)
        menu_deny(m, "its name is too long for a filter");
}

void menu_deny(struct menu *m, const char *why)
{
    if (!why || m->n == 0)
        return;
    struct menu_entry *e = &m->entries[m->n - 1];
    if (!e->why_not[0])
        snprintf(e->why_not, sizeof e->why_not, "%s", why);
}
