/* A guest gets no signals. */
#pragma once
#define SIGFPE 8
#define signal(number, handler) ((void)(handler))
