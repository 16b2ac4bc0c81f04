// no_sync.cpp: preloaded into a daemon whose promises of durability are to be empty: what it orders to the
// disk stays in memory until the kernel pleases. For the proof that the power cut of vm_test.py has teeth.
// Must not change anything else.
#include <sys/types.h>

extern "C" {
int fsync(int) { return 0; }
int fdatasync(int) { return 0; }
int msync(void*, size_t, int) { return 0; }
int syncfs(int) { return 0; }
}
