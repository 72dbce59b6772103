/*
 * The plain loop that a scan is measured against: list /proc with getdents64,
 * then open, read and close /proc/PID/stat of every process. Nothing is parsed.
 * Makes as many passes as the first argument says, and waits as many milliseconds
 * before each as the second says. Prints the nanoseconds of each pass, in order of
 * size of processor time: on the clock, and of processor time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void pass(int proc) {
	static char entries[65536], stat[4096];
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
			strcpy(end, "/stat");
			int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				continue;
			if (read(fd, stat, sizeof stat) < 0)
				stat[0] = 0;
			close(fd);
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
	int count = argc > 1 ? atoi(argv[1]) : 1, pause = argc > 2 ? atoi(argv[2]) : 0;
	if (proc < 0 || count < 1 || count > 1024)
		return 1;
	for (int i = 0; i < count; i++) {
		usleep(1000 * pause);
		long long from = now(CLOCK_MONOTONIC), before = now(CLOCK_PROCESS_CPUTIME_ID);
		pass(proc);
		all[i] = (struct taken){now(CLOCK_MONOTONIC) - from, now(CLOCK_PROCESS_CPUTIME_ID) - before};
	}
	qsort(all, count, sizeof *all, by_used);
	for (int i = 0; i < count; i++)
		printf("%lld %lld\n", all[i].wall, all[i].used);
	return 0;
}
