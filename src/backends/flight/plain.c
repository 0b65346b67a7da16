#include "backends/flight/plain.h"

#include <stdlib.h>
#include <string.h>

void plain_reset(struct plain *p)
{
    arena_reset(&p->memory);
    p->root = (struct plain_value){.type = PLAIN_NONE};
    p->n = p->nmemo = p->lists = p->items = p->marks = 0;
}

void plain_free(struct plain *p)
{
    arena_free(&p->memory);
    free(p->stack);
    free(p->memo);
    *p = (struct plain){.n = 0};
}

bool plain_is(const struct plain_value *v, const char *text)
{
    return v->type == PLAIN_TEXT && v->size == strlen(text) && memcmp(v->text, text, v->size) == 0;
}

const struct plain_value *plain_member(const struct plain_value *v, const char *key)
{
    if (!v || v->type != PLAIN_DICT)
        return NULL;
    for (uint32_t i = v->list->n; i >= 2; i -= 2)
        if (plain_is(&v->list->items[i - 2], key))
            return &v->list->items[i - 1];
    return NULL;
}

struct plain_list *plain_new_list(struct plain *p)
{
    struct plain_list *list =
        p->lists < PLAIN_LISTS_MAX ? arena_alloc(&p->memory, sizeof *list) : NULL;
    p->lists += list != NULL;
    if (list)
        list->depth = 1;
    return list;
}

static void grow_plain_list(struct plain *p, struct plain_list *list, uint32_t n)
{
    const uint32_t room = list->n ? 2 * (list->n + n) : n;
    struct plain_value *items = arena_alloc(&p->memory, room * sizeof *items);
    if (list->n)
        memcpy(items, list->items, list->n * sizeof *items);
    list->items = items;
    list->room = room;
}

const char *plain_append(struct plain *p, struct plain_list *list, const struct plain_value *items,
                         uint32_t n)
{
    if (n > PLAIN_ITEMS_MAX - p->items)
        return "its lists are longer than those of a dump";
    p->items += n;
    for (uint32_t i = 0; i < n; i++) {
        const bool nests = items[i].type == PLAIN_LIST || items[i].type == PLAIN_DICT;
        if (nests && items[i].list->depth >= list->depth)
            list->depth = items[i].list->depth + 1;
    }
    if (list->depth > PLAIN_DEPTH_MAX)
        return "its lists are nested deeper than those of a dump";
    if (n && list->n + n > list->room)
        grow_plain_list(p, list, n);
    if (n)
        memcpy(list->items + list->n, items, n * sizeof *items);
    list->n += n;
    return NULL;
}
