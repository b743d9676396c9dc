/* Included before every file: what WASI's libc does not declare. */
#pragma once
#define system awk_system /* wasi-libc declares neither */
#include <stdio.h>
#include <stdlib.h>
int awk_system(const char *command);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
