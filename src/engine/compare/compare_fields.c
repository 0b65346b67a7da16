#include "engine/compare/compare_fields.h"

#include <math.h>

static double if_tested(const struct compare_row *r, double v)
{
    return r->d.low <= r->d.high ? v : NAN;
}

static const char *spread_from(const struct compare_row *r)
{
    return r->d.low <= r->d.high ? compare_basis_name(r->basis) : NULL;
}

/* The calls of a brick or kernel; NAN for other numbers. */
static double calls_of_compared_row(const struct compare_row *r, int side)
{
    return isnan(r->total[side]) ? NAN : r->calls[side];
}

static double change_of(const struct compare_row *r)
{
    return r->runs[0] && r->runs[1] ? r->change : NAN;
}

static int compare_most_first(double x, double y)
{
    return (x < y) - (x > y);
}

/* A change from 0 (NAN %) counts as the largest. */
static int by_change(const void *a, const void *b)
{
    double x = ((const struct compare_row *)a)->change, y = ((const struct compare_row *)b)->change;
    return compare_most_first(isnan(x) ? INFINITY : fabs(x), isnan(y) ? INFINITY : fabs(y));
}

static double surety_of(const struct compare_row *r)
{
    return r->d.low <= r->d.high ? -r->d.p : -2;
}

static int by_surety(const void *a, const void *b)
{
    return compare_most_first(surety_of(a), surety_of(b));
}

/* The rows lie in memory in the order of their groups. */
static int compare_row_addresses(const void *a, const void *b)
{
    return (a > b) - (a < b);
}

#define LIST_ROW   struct compare_row
#define LIST_FILE  "engine/compare/compare_fields.def"
#define LIST_TABLE compare_fields
#include "engine/value/list_field_table.h"
