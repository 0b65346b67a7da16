/*
 * What proposers are told, who may be an endpoint elsewhere: the candidate's text and messages
 * about it. A compiler quotes lines of whatever file it thinks it reads, and a program says what it
 * likes.
 */
#pragma once

/*
 * Keeps, in place, of the compiler's messages those about the file `source` ("PATH:LINE:...",
 * "PATH(LINE)...", "PATH: ...", each with its last part as the path), and which symbols a linker
 * lacks. Quoted lines, marks below them, and messages about other files are left out.
 */
void outgoing_messages(char *messages, const char *source);
/* Cuts, in place, the words of a program off what a check of it said: behind the first ": ". */
void outgoing_evidence(char *evidence);
