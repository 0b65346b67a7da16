/* A folder of the test's own below /tmp, and files in it. What fails, fails the test. */
#ifndef TESTS_SUPPORT_TEMP_FOLDER_H
#define TESTS_SUPPORT_TEMP_FOLDER_H

extern char temp_folder[64];

/* For cmocka: an empty one; and gone with all that is in it. */
int temp_folder_make(void **state);
int temp_folder_remove(void **state);

/* Writes a file of it; name may be a path, whose folders are made. */
void temp_folder_put(const char *name, const char *text);
/* The same, packed by gzip. */
void temp_folder_pack(const char *name, const char *text);

#endif
