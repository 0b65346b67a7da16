/* A run of rooftop optimize: its records (optimize.c), and one of them (optimize_page.c). */
#pragma once

#include "engine/optimize/run_follower.h"
#include "tui/model/view.h"
#include "tui/widgets/page.h"

struct optimize_state {            /* view_state.own */
    struct run_request request;    /* what the view wants to see */
    struct run_snapshot *shown;    /* NULL: not looked at yet */
    struct run_follower *follower; /* a thread looks while the view is shown; NULL: never shown */
    struct run_look *look;         /* used in place of follower without a screen */
    int scroll;                    /* of the page of a record */
    struct page page;
};

/* Writes what became of a record: "accepted", "refused: include". Returns its style. */
struct style optimize_word(const struct optimize_record *r, char *out, size_t size);
/* Fills a page with all that is known of a record. detail: its files; NULL: not read yet. */
void optimize_page(struct page *p, const struct optimize_record *r, const struct run_detail *d);
