/*
 * A schema of docs/ has the members that the tables of records and lists have: a member that is new
 * in a table is described from it, one that is gone leaves. Bounds, words and descriptions are
 * added in the file by hand, and stay.
 */
#pragma once

#include <cjson/cJSON.h>

#include "engine/value/field.h"
#include "engine/value/list_field.h"

/*
 * Makes the members of the object at "snapshot/host" those of the table, and so on with the records
 * in it. Steps into the object of a list, of one that may be null, and of a reference. group: only
 * the members of this object, "load" of "load.1"; NULL: of none. from: only from this member on;
 * NULL: all. others: names of members that are added elsewhere, " a b "; NULL: there are such, and
 * none is removed, or required.
 */
void schema_record(cJSON *schema, const char *path, struct fields f, const char *group,
                   const char *from, const char *others);
void schema_list(cJSON *schema, const char *path, const struct list_field *fields,
                 const char *others);
/* Fails where the file differs from this schema, which it frees; UPDATE_GOLDEN=1 writes the file.
 */
void schema_compare(cJSON *schema, const char *file);
