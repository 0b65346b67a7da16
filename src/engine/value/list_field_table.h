/*
 * Makes the getters and the table of a list's fields. No include guard: it is included once for
 * each list, after
 *     #define LIST_ROW struct kernel_row          what r is
 *     #define LIST_FILE "engine/kernels/kernels_fields.def"
 *     #define LIST_TABLE kernels_fields           the table's name, declared before
 */
#define LIST_NUMBER(id, expression, ...)                                                           \
    static double list_number_##id(const void *row)                                                \
    {                                                                                              \
        const LIST_ROW *r = row;                                                                   \
        return expression;                                                                         \
    }
#define LIST_WHOLE(id, expression, ...)                                                            \
    static uint64_t list_whole_##id(const void *row)                                               \
    {                                                                                              \
        const LIST_ROW *r = row;                                                                   \
        return expression;                                                                         \
    }
#define LIST_TEXT(id, expression, ...)                                                             \
    static const char *list_text_##id(const void *row, char buf[FIELD_TEXT_MAX])                   \
    {                                                                                              \
        const LIST_ROW *r = row;                                                                   \
        (void)buf;                                                                                 \
        return expression;                                                                         \
    }
#define LIST_VALUE(id, expression, ...)                                                            \
    static struct value list_value_##id(const void *row)                                           \
    {                                                                                              \
        const LIST_ROW *r = row;                                                                   \
        return expression;                                                                         \
    }
#define LIST_COLUMN(id, ...)
#define LIST_KEPT(place, kind, member)
#include LIST_FILE
#undef LIST_NUMBER
#undef LIST_VALUE
#undef LIST_WHOLE
#undef LIST_TEXT
#undef LIST_COLUMN

const struct list_field LIST_TABLE[] = {
#define LIST_NUMBER(id, expression, ...) {.name = #id, .number = list_number_##id, __VA_ARGS__},
#define LIST_WHOLE(id, expression, ...)  {.name = #id, .whole = list_whole_##id, __VA_ARGS__},
#define LIST_TEXT(id, expression, ...)   {.name = #id, .text = list_text_##id, __VA_ARGS__},
#define LIST_VALUE(id, expression, ...)  {.name = #id, .value = list_value_##id, __VA_ARGS__},
#define LIST_COLUMN(id, ...)             {.name = #id, .unfiltered = true, __VA_ARGS__},
#include LIST_FILE
    {.name = NULL},
};

#undef LIST_NUMBER
#undef LIST_VALUE
#undef LIST_WHOLE
#undef LIST_TEXT
#undef LIST_COLUMN
#undef LIST_KEPT
#undef LIST_ROW
#undef LIST_FILE
#undef LIST_TABLE
