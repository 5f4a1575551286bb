// The first code that runs in an image for an RP2040: is the image whole?
//
// The boot ROM checks the first 256 bytes of the flash and no more. An image whose writing was cut short, or one with
// a damaged sector, would run until it met the wrong bytes, and by then a motor could turn. So `fairshoe firmware image` puts
// the address of fairshoe_reset into the reset vector and two sums of the whole image behind its end
// (ship/image_sum.py). Here they are compared before any other code of the image runs and before any pin is an
// output. If they differ nothing runs: the table port says so, about every second, until power is switched off.
//
// All of this lies in the first sector (section .reset; the build checks it) and calls nothing outside of it: a sector
// is erased as one, so this code is whole or not there. A boot ROM that starts an image without it finds erased bytes.
// Two sums of words take a third of the time of a CRC, and tell any single word and, but for one case in 2^64, any
// mixture of two images.
//
// An RP2350 has none of it: its boot ROM checks a signed image as a whole (docs/FIRMWARE.md).

#include "pico.h"

#if PICO_RP2040

#include "fairshoe_link.h"
#include "hardware/regs/addressmap.h"
#include "hardware/structs/clocks.h"
#include "hardware/structs/io_bank0.h"
#include "hardware/structs/resets.h"
#include "hardware/structs/sio.h"
#include "hardware/structs/uart.h"
#include "hardware/structs/xosc.h"

#define TAIL_MAGIC 0x6D757366 // "fsum"
#define PAGE_BYTES 256
#define CRYSTAL_HZ 12000000
#define CRYSTAL_START ((CRYSTAL_HZ / 1000 + 128) / 256) // in units of 256 periods: 1 ms
#define PAUSE 1500000 // turns of a loop, about a second
#define PIN_UART 2 // functions of a pin
#define PIN_SIO 5

#if FAIRSHOE_UART
#define LINK_UART uart1_hw
#define LINK_RESET RESETS_RESET_UART1_BITS
#else
#define LINK_UART uart0_hw
#define LINK_RESET RESETS_RESET_UART0_BITS
#endif

// The frame `halted`. Data beside code in one section: C has no way to say that.
__asm__(".section .reset,\"ax\",%progbits\n.balign 4\nfairshoe_halted:\n" FAIRSHOE_HALTED
        "\nfairshoe_halted_end:\n.balign 4\n.previous\n");
extern const uint8_t fairshoe_halted[], fairshoe_halted_end[];
extern const uint8_t __flash_binary_end[];

typedef struct {
    uint32_t magic;
    uint32_t entry; // what the reset vector was
    uint32_t sum; // of all words before it
    uint32_t sum_of_sums;
} tail_t;

// The ring oscillator that runs at power-on has 1.8 to 12 MHz: too slow here, and no clock for a UART.
static inline __attribute__((always_inline)) void use_crystal(void) {
    xosc_hw->ctrl = XOSC_CTRL_FREQ_RANGE_VALUE_1_15MHZ;
    xosc_hw->startup = CRYSTAL_START;
    hw_set_bits(&xosc_hw->ctrl, XOSC_CTRL_ENABLE_VALUE_ENABLE << XOSC_CTRL_ENABLE_LSB);
    while (!(xosc_hw->status & XOSC_STATUS_STABLE_BITS)) {
    }
    clocks_hw->clk[clk_ref].ctrl = CLOCKS_CLK_REF_CTRL_SRC_VALUE_XOSC_CLKSRC;
    while (!(clocks_hw->clk[clk_ref].selected & 1u << CLOCKS_CLK_REF_CTRL_SRC_VALUE_XOSC_CLKSRC)) {
    }
}

static inline __attribute__((always_inline)) void open_link(void) {
    uint32_t blocks = RESETS_RESET_IO_BANK0_BITS | RESETS_RESET_PADS_BANK0_BITS | LINK_RESET;
    hw_clear_bits(&resets_hw->reset, blocks);
    while (~resets_hw->reset_done & blocks) {
    }
    clocks_hw->clk[clk_peri].ctrl =
        CLOCKS_CLK_PERI_CTRL_ENABLE_BITS
        | CLOCKS_CLK_PERI_CTRL_AUXSRC_VALUE_XOSC_CLKSRC << CLOCKS_CLK_PERI_CTRL_AUXSRC_LSB;
    LINK_UART->ibrd = FAIRSHOE_DIVISOR >> 6;
    LINK_UART->fbrd = FAIRSHOE_DIVISOR & 63;
    LINK_UART->lcr_h = 3 << UART_UARTLCR_H_WLEN_LSB | UART_UARTLCR_H_FEN_BITS;
    LINK_UART->cr = UART_UARTCR_UARTEN_BITS | UART_UARTCR_TXE_BITS;
    io_bank0_hw->io[FAIRSHOE_TX].ctrl = PIN_UART;
    #ifdef FAIRSHOE_DE
    sio_hw->gpio_set = 1u << FAIRSHOE_DE;
    sio_hw->gpio_oe_set = 1u << FAIRSHOE_DE;
    io_bank0_hw->io[FAIRSHOE_DE].ctrl = PIN_SIO;
    #endif
}

__attribute__((section(".reset"), used, noreturn)) void fairshoe_reset(void) {
    use_crystal();
    const tail_t *tail = (const tail_t *)(((uintptr_t)__flash_binary_end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
    uint32_t sum = 0, sum_of_sums = 0;
    for (const uint32_t *word = (const uint32_t *)XIP_BASE; word < &tail->sum; word++) {
        sum += *word;
        sum_of_sums += sum;
    }
    if (tail->magic == TAIL_MAGIC && tail->sum == sum && tail->sum_of_sums == sum_of_sums) {
        // As the boot ROM's second stage would have: the stack pointer of the vector table, then its code.
        __asm__ volatile ("msr msp, %0\nbx %1" : : "r"(*(const uint32_t *)(XIP_BASE + PAGE_BYTES)), "r"(tail->entry));
    }
    open_link();
    for (;;) {
        for (const uint8_t *byte = fairshoe_halted; byte < fairshoe_halted_end; byte++) {
            while (LINK_UART->fr & UART_UARTFR_TXFF_BITS) {
            }
            LINK_UART->dr = *byte;
        }
        for (uint32_t pause = PAUSE; pause; pause--) {
            __asm__ volatile ("nop");
        }
    }
}

#endif
