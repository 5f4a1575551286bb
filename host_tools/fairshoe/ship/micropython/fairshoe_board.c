// What a release image has in place of MicroPython's prompts, Ctrl-C and imports from files.
//
// The two prompt functions are missing from a build without compiler, and the port calls them when main.py has ended.
// The functions that begin with __wrap_ replace the originals at link time (mpconfigboard.cmake), so that the originals
// are not in the image.

#include "py/builtin.h"
#include "py/mperrno.h"
#include "py/persistentcode.h"
#include "py/runtime.h"

#if FAIRSHOE_RELEASE

#include "hardware/watchdog.h"
#include "pico/platform.h"
#include "shared/runtime/pyexec.h"

#define RESTART_MS 10

void fairshoe_restart(void) {
    watchdog_reboot(0, 0, RESTART_MS);
    for (;;) {
        tight_loop_contents();
    }
}

int pyexec_friendly_repl(void) {
    fairshoe_restart();
    return 0;
}

int pyexec_raw_repl(void) {
    fairshoe_restart();
    return 0;
}

// No character of a console is an interrupt, whatever sets one: MicroPython does before each script.
void __wrap_mp_hal_set_interrupt_char(int c) {
    (void)c;
}

// No file is there to import or to run, whatever is mounted.
mp_import_stat_t __wrap_mp_vfs_import_stat(const char *path) {
    (void)path;
    return MP_IMPORT_STAT_NO_EXIST;
}

void __wrap_mp_raw_code_load_file(qstr filename, mp_compiled_module_t *context) {
    (void)filename;
    (void)context;
    mp_raise_OSError(MP_ENOENT);
}

#endif
