/* Preloaded (LD_PRELOAD): writes down what a process does to the files below $UNSYNCED_FOLDER, into $UNSYNCED_LOG.
 * A record is: one letter, two 64-bit numbers, a 32-bit length and so many bytes.
 *   o number           a file was opened; the bytes are its name      w number offset    bytes were written
 *   s number           a file was synced                              t number size      a file was cut
 *   u                  a file was removed; the bytes are its name
 * `tests.power_loss` makes the disks of it that a loss of power could have left. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 4096
static int64_t number_of[MOST];
static int64_t numbers = 0;
static int log_fd = -1;
static const char *folder = NULL;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("UNSYNCED_FOLDER");
  const char *path = getenv("UNSYNCED_LOG");
  if (folder && path)
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

static void note(char what, int64_t one, int64_t two, const void *bytes, size_t length) {
  if (log_fd < 0) return;
  char head[21];
  uint32_t size = (uint32_t)length;
  head[0] = what;
  memcpy(head + 1, &one, 8);
  memcpy(head + 9, &two, 8);
  memcpy(head + 17, &size, 4);
  struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, length}};
  syscall(SYS_writev, log_fd, parts, 2); /* one call: records of two threads do not mix */
}

static int64_t known(int fd) { return fd >= 0 && fd < MOST ? number_of[fd] : 0; }

static void opened(int fd, const char *path) {
  if (fd < 0 || fd >= MOST || !folder || !path) return;
  number_of[fd] = 0;
  if (strncmp(path, folder, strlen(folder))) return;
  number_of[fd] = __sync_add_and_fetch(&numbers, 1);
  note('o', number_of[fd], 0, path, strlen(path));
}

#define OPENER(name)                                                     \
  int name(const char *path, int flags, ...) {                           \
    mode_t mode = 0;                                                     \
    if (flags & (O_CREAT | O_TMPFILE)) {                                 \
      va_list more;                                                      \
      va_start(more, flags);                                             \
      mode = va_arg(more, mode_t);                                       \
      va_end(more);                                                      \
    }                                                                    \
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);      \
    opened(fd, path);                                                    \
    return fd;                                                           \
  }
OPENER(open)
OPENER(open64)

int close(int fd) {
  if (fd >= 0 && fd < MOST) number_of[fd] = 0;
  return (int)syscall(SYS_close, fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  ssize_t done = syscall(SYS_pwrite64, fd, bytes, length, at);
  if (done > 0 && known(fd)) note('w', known(fd), at, bytes, (size_t)done);
  return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  int64_t at = known(fd) ? (int64_t)syscall(SYS_lseek, fd, 0, SEEK_CUR) : 0;
  ssize_t done = syscall(SYS_write, fd, bytes, length);
  if (done > 0 && known(fd)) note('w', known(fd), at, bytes, (size_t)done);
  return done;
}

int fsync(int fd) {
  if (known(fd)) note('s', known(fd), 0, NULL, 0);
  return (int)syscall(SYS_fsync, fd);
}
int fdatasync(int fd) {
  if (known(fd)) note('s', known(fd), 0, NULL, 0);
  return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate64(int fd, off64_t size) {
  if (known(fd)) note('t', known(fd), size, NULL, 0);
  return (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
  if (folder && !strncmp(path, folder, strlen(folder))) note('u', 0, 0, path, strlen(path));
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
