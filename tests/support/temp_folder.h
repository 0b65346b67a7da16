/* A folder of the test's own below /tmp, and files in it. A failure fails the test. */
#pragma once

extern char temp_folder[64];

/* For cmocka: makes an empty folder, which is $D in the environment; removes it with its content.
 */
int temp_folder_make(void **state);
int temp_folder_remove(void **state);

/* Writes a file. name may be a path, whose folders are created. */
void temp_folder_put(const char *name, const char *text);
/* The same, compressed with gzip. */
void temp_folder_pack(const char *name, const char *text);
