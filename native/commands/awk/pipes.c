/* system(), popen() and pclose() by the host's `spawn`. A pipe is a file in between: the command of an input pipe runs to its
 * end when it is opened, the command of an output pipe when it is closed. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((import_module("workbooks"), import_name("spawn"))) int32_t
spawn(const char *argv, int32_t argv_len, const char *env, int32_t env_len, const char *cwd, int32_t cwd_len, int32_t flags);

enum { INHERIT = -1 };

struct pipe {
	FILE *stream;
	char *command; /* NULL once it ran */
	char *file;
	int status;
	struct pipe *next;
};

static struct pipe *pipes;

__attribute__((constructor)) static void enter(void)
{
	const char *cwd = getenv("PWD");

	if (cwd != NULL)
		(void)chdir(cwd);
}

/* sh -c "BEFORE COMMAND AFTER FILE"; BEFORE and AFTER may be empty. */
static int run(const char *before, const char *command, const char *after, const char *file)
{
	static const char shell[] = "sh\0-c"; /* with its NUL */
	size_t size = sizeof(shell) + strlen(before) + strlen(command) + strlen(after) + strlen(file) + 1;
	char *argv = malloc(size);
	int status;

	if (argv == NULL)
		return 126;
	memcpy(argv, shell, sizeof(shell));
	char *script = argv + sizeof(shell);
	script = stpcpy(stpcpy(stpcpy(stpcpy(script, before), command), after), file);
	fflush(NULL);
	status = spawn(argv, (int32_t)size, NULL, INHERIT, NULL, 0, 0);
	free(argv);
	return status;
}

int awk_system(const char *command)
{
	return run("", command, "", "");
}

static bool is_directory(const char *path)
{
	struct stat about;

	return path != NULL && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* A new empty file whose name needs no quoting, or NULL. */
static char *new_file(void)
{
	uint32_t random;
	const char *directory = is_directory("/tmp") ? "/tmp/" : "";
	char name[64];

	for (int attempt = 0; attempt < 100; attempt++) {
		if (getentropy(&random, sizeof(random)) != 0)
			return NULL;
		snprintf(name, sizeof(name), "%s.awk-pipe-%08x", directory, random);
		int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
		if (fd >= 0) {
			close(fd);
			return strdup(name);
		}
	}
	return NULL;
}

FILE *popen(const char *command, const char *mode)
{
	struct pipe *pipe = calloc(1, sizeof(*pipe));

	if (pipe == NULL || (pipe->file = new_file()) == NULL) {
		free(pipe);
		return NULL;
	}
	if (*mode == 'r')
		pipe->status = run("(", command, "\n) >", pipe->file);
	else
		pipe->command = strdup(command);
	pipe->stream = fopen(pipe->file, mode);
	if (*mode == 'r' || pipe->stream == NULL)
		unlink(pipe->file);
	if (pipe->stream == NULL) {
		free(pipe->command);
		free(pipe->file);
		free(pipe);
		return NULL;
	}
	pipe->next = pipes;
	pipes = pipe;
	return pipe->stream;
}

int pclose(FILE *stream)
{
	struct pipe **at = &pipes;

	while (*at != NULL && (*at)->stream != stream)
		at = &(*at)->next;
	struct pipe *pipe = *at;
	if (pipe == NULL)
		return -1;
	*at = pipe->next;
	fclose(pipe->stream);
	if (pipe->command != NULL) {
		pipe->status = run("(", pipe->command, "\n) <", pipe->file);
		unlink(pipe->file);
	}
	int status = pipe->status;
	free(pipe->command);
	free(pipe->file);
	free(pipe);
	return status;
}
