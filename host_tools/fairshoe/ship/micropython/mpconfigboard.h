// Board definition of a fairshoe image for the Raspberry Pi Pico and Pico 2.
//
// FAIRSHOE_RELEASE is 1 for a release image and 0 for a bench image (`fairshoe firmware image --bench`).

// Board names and storage sizes are those of MicroPython's own builds: cells that a board config keeps in flash
// (nv.kind "flash") then lie at the same address under an image and under a downloaded MicroPython.
#if PICO_RP2040
#define MICROPY_HW_BOARD_NAME "Raspberry Pi Pico"
#define MICROPY_HW_FLASH_STORAGE_BYTES (1408 * 1024)
#else
#define MICROPY_HW_BOARD_NAME "Raspberry Pi Pico2"
#define MICROPY_HW_FLASH_STORAGE_BYTES (PICO_FLASH_SIZE_BYTES - 1024 * 1024)
#endif

// The UART of the table port never carries a prompt.
#define MICROPY_HW_ENABLE_UART_REPL (0)
// A host that opens the USB port at 1200 baud and closes it would otherwise start the boot loader.
#define MICROPY_HW_USB_CDC_1200BPS_TOUCH (0)
#define MICROPY_HW_USB_CDC_DTR_RTS_BOOTLOADER (0)
// The USB port is one serial port: no drive, and no device classes made at run time.
#define MICROPY_HW_USB_MSC (0)
#define MICROPY_HW_ENABLE_USB_RUNTIME_DEVICE (0)

// One core runs Python. With threads every call looks up its thread's state, and every allocation takes a lock.
#define MICROPY_PY_THREAD (0)
// Slots of the cache for names of attributes and globals, a byte each. A name can take every second slot only, and the
// firmware uses many more than the default's 128: with 2048 a scan takes 5 % less than with 512.
#define MICROPY_OPT_MAP_LOOKUP_CACHE_SIZE (2048)

#if FAIRSHOE_RELEASE
// No compiler: the image runs the code that is frozen in it and no other. MicroPython's two prompts are compiled only
// together with the compiler; fairshoe_board.c has what takes their place.
#define MICROPY_ENABLE_COMPILER (0)
#define MICROPY_HELPER_REPL (0)
#define MICROPY_REPL_AUTO_INDENT (0)
// Nothing may be joined to the console at run time.
#define MICROPY_PY_OS_DUPTERM (0)
#define MICROPY_PY_OS_DUPTERM_NOTIFY (0)
// A program that ends, by whatever way, restarts the chip: outputs fall back to their pull-downs.
#define MICROPY_BOARD_START_SOFT_RESET() fairshoe_restart()

extern void fairshoe_restart(void);
#endif
