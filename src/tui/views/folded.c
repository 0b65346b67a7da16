/* What the user has folded in a view that is a tree. */
#include <string.h>

#include "tui/view.h"

bool view_folded(const struct view_state *st, uint64_t id)
{
    for (int i = 0; i < VIEW_FOLDED_MAX; i++)
        if (st->folded[i] == id)
            return true;
    return false;
}

void view_set_folded(struct view_state *st, uint64_t id, bool folded)
{
    int n = 0;
    for (int i = 0; i < VIEW_FOLDED_MAX; i++)
        if (st->folded[i] && st->folded[i] != id)
            st->folded[n++] = st->folded[i];
    if (folded && n == VIEW_FOLDED_MAX)
        memmove(st->folded, st->folded + 1, (size_t)--n * sizeof *st->folded);
    if (folded)
        st->folded[n++] = id;
    memset(st->folded + n, 0, (size_t)(VIEW_FOLDED_MAX - n) * sizeof *st->folded);
}
