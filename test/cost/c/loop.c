/*
 * The plain loop that a scan is measured against: list /proc with getdents64,
 * then open, read and close /proc/PID/stat of every process. Nothing is parsed.
 * With "whole" as third argument it also asks for what a first look cannot do
 * without: the owner, the executable and the arguments of every process. With
 * "all" it also reads every descriptor's link, as whoever looks for the holder of
 * a pipe has to.
 * Makes as many passes as the first argument says, and waits as many milliseconds
 * before each as the second says. Prints the nanoseconds of each pass, in order of
 * size of processor time: on the clock, and of processor time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct record {
	unsigned long long inode;
	long long offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static long long now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void read_file(int proc, char *path, char *end, const char *file) {
	static char text[4096];
	strcpy(end, file);
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof text) < 0)
		text[0] = 0;
	close(fd);
}

static void read_more(int proc, char *path, char *end) {
	static char target[4096];
	struct stat owner;
	*end = 0;
	if (fstatat(proc, path, &owner, 0) != 0)
		return;
	strcpy(end, "/exe");
	if (readlinkat(proc, path, target, sizeof target) < 0)
		target[0] = 0;
	read_file(proc, path, end, "/cmdline");
}

/* Reads the links in PID/fd. */
static void read_descriptors(int proc, char *path, char *end) {
	static char entries[16384], target[4096];
	strcpy(end, "/fd");
	int dir = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	for (long n; (n = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0;)
		for (long at = 0; at < n;) {
			struct record *r = (struct record *)(entries + at);
			at += r->length;
			if (r->name[0] != '.' && readlinkat(dir, r->name, target, sizeof target) < 0)
				target[0] = 0;
		}
	close(dir);
}

static void pass(int proc, int whole, int descriptors) {
	static char entries[65536];
	lseek(proc, 0, SEEK_SET);
	for (;;) {
		long n = syscall(SYS_getdents64, proc, entries, sizeof entries);
		if (n <= 0)
			return;
		for (long at = 0; at < n;) {
			struct record *r = (struct record *)(entries + at);
			at += r->length;
			if (r->name[0] < '1' || r->name[0] > '9')
				continue;
			char path[32];
			char *end = stpcpy(path, r->name);
			read_file(proc, path, end, "/stat");
			if (whole)
				read_more(proc, path, end);
			if (descriptors)
				read_descriptors(proc, path, end);
		}
	}
}

struct taken {
	long long wall, used;
};

static int by_used(const void *a, const void *b) {
	long long d = ((const struct taken *)a)->used - ((const struct taken *)b)->used;
	return d < 0 ? -1 : d > 0;
}

int main(int argc, char **argv) {
	static struct taken all[1024];
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int descriptors = argc > 3 && strcmp(argv[3], "all") == 0;
	int whole = descriptors || (argc > 3 && strcmp(argv[3], "whole") == 0);
	int count = argc > 1 ? atoi(argv[1]) : 1, pause = argc > 2 ? atoi(argv[2]) : 0;
	if (proc < 0 || count < 1 || count > 1024)
		return 1;
	for (int i = 0; i < count; i++) {
		usleep(1000 * pause);
		long long from = now(CLOCK_MONOTONIC), before = now(CLOCK_PROCESS_CPUTIME_ID);
		pass(proc, whole, descriptors);
		all[i] = (struct taken){now(CLOCK_MONOTONIC) - from, now(CLOCK_PROCESS_CPUTIME_ID) - before};
	}
	qsort(all, count, sizeof *all, by_used);
	for (int i = 0; i < count; i++)
		printf("%lld %lld\n", all[i].wall, all[i].used);
	return 0;
}
