/*
 * Makes the rows of a table of struct field from a list's LIST_KEPT. No include guard: it is
 * included inside the table, after
 *     #define LIST_ROW struct proc
 *     #define LIST_FILE "engine/live/procs_fields.def"
 */
#define LIST_NUMBER(...)
#define LIST_VALUE(...)
#define LIST_WHOLE(...)
#define LIST_TEXT(...)
#define LIST_COLUMN(...)
#define LIST_KEPT(place, kind, member) [(place)-1] = KEPT(kind, LIST_ROW, member),
#include LIST_FILE
#undef LIST_NUMBER
#undef LIST_VALUE
#undef LIST_WHOLE
#undef LIST_TEXT
#undef LIST_COLUMN
#undef LIST_KEPT
#undef LIST_ROW
#undef LIST_FILE
