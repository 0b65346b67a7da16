/* A kernel as a sequence of events in the order of its text: barriers, accesses to memory, loops
 * and conditions around them, and jumps out of these. Functions of the file are expanded where
 * they are called. */
#pragma once

#include "engine/source_guards/source_impl.h"

/* --- what differs between the items of a work-group --- */

struct source_lanes {
    const struct syntax_tree *t;
    const uint8_t *names; /* made by source_names_find */
    bool *differs;        /* variables, parameters, functions whose value does */
    bool *shared;         /* variables of shared memory; pointers that lead there */
    /* Element i: how many of the nodes before i name one of either kind (source_count_nodes). */
    uint32_t *lanes, *to_shared;
    bool changed; /* set at the end: there are more events, which are not known */
};
void source_lanes_open(struct source_lanes *l, const struct syntax_tree *t, const uint8_t *names);
void source_lanes_close(struct source_lanes *l);
bool source_differs(const struct source_lanes *l, size_t node);
/* Whether the condition of an if, switch, ?: or loop, or another expression without its last
 * part, differs between work-items. */
bool source_decides_by_lane(const struct source_lanes *l, size_t node);

enum source_operator {
    OPERATOR_OTHER,
    OPERATOR_ASSIGN,
    OPERATOR_COMMA,
    OPERATOR_LOGIC, /* && and || */
    OPERATOR_UNKNOWN
};
/* The operator of a SYNTAX_BINARY node; UNKNOWN where a macro made it. */
enum source_operator source_operator(const struct syntax_tree *t, size_t i);
bool source_is_choice(const struct syntax_tree *t, size_t i); /* if, switch, ?: */
/* The first branch after the condition. */
size_t source_behind_condition(const struct syntax_tree *t, size_t i);
size_t source_body_of_loop(const struct syntax_tree *t, size_t loop);
/* The reference with which an expression begins: x in x[i].a. 0: there is none. */
size_t source_root(const struct syntax_tree *t, size_t i);
/* The part of a call that names what is called; 0: there is none. */
size_t source_callee(const struct syntax_tree *t, size_t call);

/* --- events --- */

enum source_event_kind {
    EVENT_LOOP, /* the first four have an end */
    EVENT_CONDITION,
    EVENT_ONCE,  /* do ... while (0) */
    EVENT_FRAME, /* of a function that is called */
    EVENT_END,
    EVENT_BARRIER,
    EVENT_NAMED, /* a barrier whose name is used without a call */
    EVENT_ACCESS,
    EVENT_RETURN,
    EVENT_BREAK,
    EVENT_CONTINUE,
    EVENT_GOTO
};
struct source_event {
    uint8_t kind;
    bool lane; /* a loop or condition differs between work-items; an access: its index does */
    bool read, write, atomic; /* of an access */
    bool meets;               /* a barrier that items wait at */
    bool holds;               /* of an event with an end: there is a barrier in it */
    uint32_t node, end;       /* end: index of the event that ends it */
    uint32_t variable;        /* of an access: its node; 0: it is in another file */
    /* A barrier: its name. An access: the tokens of its index. An event with an end: number of
     * barriers before. */
    uint64_t key;
    uint32_t unit; /* of an access: its statement */
};
struct source_flow {
    struct source_event *list;
    size_t n, cap;
    uint64_t barriers;
    bool *met;     /* nodes of barriers that have been passed */
    bool too_many; /* events, calls in calls, steps */
};
void source_flow_open(struct source_flow *f, const struct source_side *s,
                      const struct source_lanes *l);
void source_flow_close(struct source_flow *f);
/* Whether a node is a barrier by itself: a call, another naming of one, assembly. */
bool source_is_barrier(const struct source_side *s, size_t node);
