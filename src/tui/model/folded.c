/* The nodes that the user folded in the view of a tree. */
#include <string.h>

#include "tui/model/view.h"

bool view_ids_have(const uint64_t *list, int max, uint64_t id)
{
    for (int i = 0; i < max; i++)
        if (list[i] == id)
            return true;
    return false;
}

void view_ids_set(uint64_t *list, int max, uint64_t id, bool in)
{
    int n = 0;
    for (int i = 0; i < max; i++)
        if (list[i] && list[i] != id)
            list[n++] = list[i];
    if (in && n == max)
        memmove(list, list + 1, (size_t)--n * sizeof *list);
    if (in)
        list[n++] = id;
    memset(list + n, 0, (size_t)(max - n) * sizeof *list);
}

bool view_folded(const struct view_state *st, uint64_t id)
{
    return view_ids_have(st->folded, VIEW_FOLDED_MAX, id);
}

void view_set_folded(struct view_state *st, uint64_t id, bool folded)
{
    view_ids_set(st->folded, VIEW_FOLDED_MAX, id, folded);
}
