// WASI has no working directory; whoever starts a program says where it is.
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void go_there(void)
{
    const char *here = getenv("PWD");
    if (here != NULL)
        (void)!chdir(here);
}
