/* What sqlite3's shell asks of a system and WASI does not give. */
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

__attribute__((constructor)) static void enter(void)
{
	const char *cwd = getenv("PWD");

	if (cwd != NULL)
		(void)chdir(cwd);
}

/* Files have no mode bits here. Newer versions of wasi-libc have a chmod of their own, which then counts. */
__attribute__((weak)) int chmod(const char *path, mode_t mode)
{
	(void)path;
	(void)mode;
	return 0;
}
