/*
 * Makes the names of an enum for the places of a list's fields in its table. No include guard: it
 * is included inside the enum, after
 *     #define LIST_FILE "engine/kernels/kernels_fields.def"
 *     #define LIST_ID(id) KERNELS_FIELD_##id
 */
#define LIST_NUMBER(id, ...) LIST_ID(id),
#define LIST_VALUE(id, ...)  LIST_ID(id),
#define LIST_WHOLE(id, ...)  LIST_ID(id),
#define LIST_TEXT(id, ...)   LIST_ID(id),
#define LIST_COLUMN(id, ...) LIST_ID(id),
#define LIST_KEPT(place, kind, member)
#include LIST_FILE
#undef LIST_NUMBER
#undef LIST_VALUE
#undef LIST_WHOLE
#undef LIST_TEXT
#undef LIST_COLUMN
#undef LIST_KEPT
#undef LIST_ID
#undef LIST_FILE
