/* What proposers may be told, as a proposer may be an endpoint of another party: the candidate's
 * text and messages about it. Compilers quote lines of any file that they read, and a program of
 * --run may print anything. */
#pragma once

/*
 * Keeps, in place, of the compiler's messages those about the file `source` ("PATH:LINE:...",
 * "PATH(LINE)...", "PATH: ...", each with its last part as the path), and which symbols a linker
 * lacks. Quoted lines, marks below them, and messages about other files are left out.
 */
void outgoing_messages(char *messages, const char *source);
/* Removes, in place, a checked program's own words from a message: all after the first ": ". */
void outgoing_evidence(char *evidence);
