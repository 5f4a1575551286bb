/* The instructions of an emulated Cortex-M0+ that touch memory alone.

   Of the instructions that firmware executes, 99 in 100 read and write registers, flash and SRAM. `burst` runs those,
   until an alarm of the emulated clock is due, and stops BEFORE the first one that reaches a device, sleeps or returns
   from an interrupt: the core of rp2040py executes that one (burst.py). Nothing but time may differ, so cycles are those
   of rp2040py, and so is what is unspecified: a base register that is in the list of LDM or STM is not written back.

   Flags are those of the Armv6-M manual. rp2040py has some of them wrong (tests/tools/test_burst.py names them).

   Flash is read through the chip's cache: an instruction or a load whose line is not there waits `miss_cycles`. The
   figures and their sources are in flash_cache.py. Of two lines of a set the one that was used last stays (assumed).

   The divider of the SIO, reads of the timer and of status registers that were just read count as memory: programs
   poll them. */

#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

enum { RAM_BYTES = 264 * 1024, ROM_BYTES = 16 * 1024, KEPT = 8 };
enum { LINE_SHIFT = 3, SETS = 1024, WAYS = 2 }; /* flash_cache.py has them in bytes */
enum { SP = 13, LR = 14, PC = 15 };

/* The same fields in the same order as class State of burst.py. */
struct state {
    u32 *reg;
    uint8_t *rom, *flash, *ram;
    u32 flash_bytes;
    u32 n, z, c, v;
    u32 primask, ipsr;
    u32 pending;          /* an interrupt waits for PRIMASK to be cleared */
    u32 primask_changed;  /* the caller has to look for interrupts */
    u32 stop_op, stop_address;
    u32 dividend, divisor, quotient, remainder, div_csr;
    u64 div_cycles;       /* that rp2040py adds to the busy cycles, and not to the clock */
    u64 timer_ns;         /* what the timer of the chip shows as the burst begins */
    u32 kept;             /* status registers whose values hold until the next alarm */
    u32 kept_address[KEPT], kept_value[KEPT];
    u64 begin;            /* of the burst, in cycles of the emulated clock */
    u64 masked_from, masked_longest, handler_from, handler_longest;
    u32 masked, handler;
    u32 miss_cycles;
    u64 misses;
    u32 line[SETS][WAYS]; /* of flash, counted from 1: 0 is none */
    uint8_t oldest[SETS];
};

enum { TIMER_RAW_HIGH = 0x40054024, TIMER_RAW_LOW = 0x40054028 };
enum {
    CPUID = 0xd0000000, DIV_UDIVIDEND = 0xd0000060, DIV_UDIVISOR = 0xd0000064, DIV_SDIVIDEND = 0xd0000068,
    DIV_SDIVISOR = 0xd000006c, DIV_QUOTIENT = 0xd0000070, DIV_REMAINDER = 0xd0000074, DIV_CSR = 0xd0000078
};

/* -- how long interrupts wait ------------------------------------------------------------------------------------- */

static void note(u32 on, u32 *was, u64 *from, u64 *longest, u64 now) {
    if (on && !*was) *from = now;
    if (*was && now - *from > *longest) *longest = now - *from;
    *was = on;
}

/* The interrupt mask and the handler, as they are from `now` on. */
void look(struct state *x, u64 now, u32 primask, u32 ipsr) {
    note(primask != 0, &x->masked, &x->masked_from, &x->masked_longest, now);
    note(ipsr != 0, &x->handler, &x->handler_from, &x->handler_longest, now);
}

/* -- memory ------------------------------------------------------------------------------------------------------- */

static inline uint8_t *readable(struct state *x, u32 address, u32 size) {
    if (address - 0x20000000u <= RAM_BYTES - size) return x->ram + (address - 0x20000000u);
    if (address - 0x10000000u <= x->flash_bytes - size) return x->flash + (address - 0x10000000u);
    if (address <= ROM_BYTES - size) return x->rom + address;
    return 0;
}

static inline uint8_t *writable(struct state *x, u32 address, u32 size) {
    return address - 0x20000000u <= RAM_BYTES - size ? x->ram + (address - 0x20000000u) : 0;
}

/* The cycles that flash takes for an address, if it is one of flash. */
static inline u32 wait_for_flash(struct state *x, u32 address) {
    u32 number, set;
    if (address >> 24 != 0x10 || !x->miss_cycles) return 0;
    number = (address & 0xffffff) >> LINE_SHIFT;
    set = number % SETS;
    for (u32 way = 0; way < WAYS; way++)
        if (x->line[set][way] == number + 1) {
            x->oldest[set] = !way;
            return 0;
        }
    x->line[set][x->oldest[set]] = number + 1;
    x->oldest[set] ^= 1;
    x->misses++;
    return x->miss_cycles;
}

static void divide(struct state *x, int is_signed) {
    if (!x->divisor) {
        x->quotient = x->dividend ? 0xffffffffu : 1;
        x->remainder = x->dividend;
    } else if (is_signed) {
        s64 dividend = (s32)x->dividend, divisor = (s32)x->divisor;
        x->quotient = (u32)(dividend / divisor);
        x->remainder = (u32)(dividend % divisor);
    } else {
        x->quotient = x->dividend / x->divisor;
        x->remainder = x->dividend % x->divisor;
    }
    x->div_csr = 3;
    x->div_cycles += 8;
}

/* Read a word that is not memory. The cycles that it takes, or 0 if it is not known here. */
static u32 read_device(struct state *x, u32 address, s64 cycles, u32 *value) {
    switch (address) {
    case CPUID: *value = 0; return 1;
    case DIV_UDIVIDEND: case DIV_SDIVIDEND: *value = x->dividend; return 1;
    case DIV_UDIVISOR: case DIV_SDIVISOR: *value = x->divisor; return 1;
    case DIV_QUOTIENT: x->div_csr &= ~2u; *value = x->quotient; return 1;
    case DIV_REMAINDER: *value = x->remainder; return 1;
    case DIV_CSR: *value = x->div_csr; return 1;
    case TIMER_RAW_LOW: *value = (u32)((x->timer_ns + (u64)cycles * 8) / 1000); return 4;
    case TIMER_RAW_HIGH: *value = (u32)((x->timer_ns + (u64)cycles * 8) / 1000 >> 32); return 4;
    }
    for (u32 i = 0; i < x->kept; i++)
        if (x->kept_address[i] == address) {
            *value = x->kept_value[i];
            return address >> 28 == 4 ? 4 : 2; /* APB, AHB-Lite */
        }
    return 0;
}

static u32 write_device(struct state *x, u32 address, u32 value) {
    switch (address) {
    case DIV_UDIVIDEND: x->dividend = value; divide(x, 0); return 1;
    case DIV_SDIVIDEND: x->dividend = value; divide(x, 1); return 1;
    case DIV_UDIVISOR: x->divisor = value; divide(x, 0); return 1;
    case DIV_SDIVISOR: x->divisor = value; divide(x, 1); return 1;
    }
    return 0;
}

/* The cycles of a load, or 0: the burst ends before it. */
static inline u32 load(struct state *x, u32 address, u32 size, int is_signed, s64 cycles, u32 *value) {
    uint8_t *from = address & (size - 1) ? 0 : readable(x, address, size);
    if (!from) {
        u32 took = size == 4 && !(address & 3) ? read_device(x, address, cycles, value) : 0;
        x->stop_address = address;
        return took;
    }
    if (size == 4) memcpy(value, from, 4);
    else if (size == 2) { uint16_t half; memcpy(&half, from, 2); *value = is_signed ? (u32)(int16_t)half : half; }
    else *value = is_signed ? (u32)(int8_t)*from : *from;
    return 2 + wait_for_flash(x, address);
}

static inline u32 store(struct state *x, u32 address, u32 size, u32 value) {
    uint8_t *to = address & (size - 1) ? 0 : writable(x, address, size);
    if (!to) {
        x->stop_address = address;
        return size == 4 ? write_device(x, address, value) : 0;
    }
    memcpy(to, &value, size); /* little-endian, as the host */
    return 2;
}

/* -- flags -------------------------------------------------------------------------------------------------------- */

struct flags { u32 n, z, c, v; };

static inline u32 nz(struct flags *f, u32 value) {
    f->n = value >> 31;
    f->z = value == 0;
    return value;
}

static inline u32 add(struct flags *f, u32 a, u32 b, u32 carry) {
    u64 wide = (u64)a + b + carry;
    u32 sum = (u32)wide;
    f->c = (u32)(wide >> 32);
    f->v = (~(a ^ b) & (a ^ sum)) >> 31;
    return nz(f, sum);
}

static inline u32 subtract(struct flags *f, u32 a, u32 b) { return add(f, a, ~b, 1); }

/* Shifts by 0 leave C alone; by 32 it is the last bit that was shifted out, by more it is 0 (ASR: the sign). */
static inline u32 shift_left(struct flags *f, u32 value, u32 by) {
    if (by) {
        f->c = by > 32 ? 0 : value >> (32 - by) & 1;
        value = by > 31 ? 0 : value << by;
    }
    return nz(f, value);
}

static inline u32 shift_right(struct flags *f, u32 value, u32 by) {
    if (by) {
        f->c = by > 32 ? 0 : value >> (by - 1) & 1;
        value = by > 31 ? 0 : value >> by;
    }
    return nz(f, value);
}

static inline u32 shift_arithmetic(struct flags *f, u32 value, u32 by) {
    if (by) {
        f->c = by > 31 ? value >> 31 : value >> (by - 1) & 1;
        value = (u32)((s32)value >> (by > 31 ? 31 : by));
    }
    return nz(f, value);
}

static inline u32 rotate(struct flags *f, u32 value, u32 by) {
    if (by) {
        by &= 31;
        if (by) value = value >> by | value << (32 - by);
        f->c = value >> 31;
    }
    return nz(f, value);
}

static inline u32 holds(const struct flags *f, u32 condition) {
    u32 yes;
    switch (condition >> 1) {
    case 0: yes = f->z; break;
    case 1: yes = f->c; break;
    case 2: yes = f->n; break;
    case 3: yes = f->v; break;
    case 4: yes = f->c && !f->z; break;
    case 5: yes = f->n == f->v; break;
    default: yes = f->n == f->v && !f->z; break;
    }
    return yes ^ (condition & 1);
}

/* -- groups of instructions --------------------------------------------------------------------------------------- */

/* 010000 oooo mmm ddd: two low registers. */
static inline void data_processing(u32 *reg, struct flags *f, u32 op) {
    u32 *d = &reg[op & 7], a = *d, b = reg[op >> 3 & 7];
    switch (op >> 6 & 15) {
    case 0: *d = nz(f, a & b); break;
    case 1: *d = nz(f, a ^ b); break;
    case 2: *d = shift_left(f, a, b & 255); break;
    case 3: *d = shift_right(f, a, b & 255); break;
    case 4: *d = shift_arithmetic(f, a, b & 255); break;
    case 5: *d = add(f, a, b, f->c); break;
    case 6: *d = add(f, a, ~b, f->c); break;
    case 7: *d = rotate(f, a, b & 255); break;
    case 8: nz(f, a & b); break;
    case 9: *d = subtract(f, 0, b); break;
    case 10: subtract(f, a, b); break;
    case 11: add(f, a, b, 0); break;
    case 12: *d = nz(f, a | b); break;
    case 13: *d = nz(f, a * b); break;
    case 14: *d = nz(f, a & ~b); break;
    case 15: *d = nz(f, ~b); break;
    }
}

static inline u32 extend(u32 value, u32 kind) {
    switch (kind) {
    case 0: return (u32)(int16_t)value;
    case 1: return (u32)(int8_t)value;
    case 2: return value & 0xffff;
    default: return value & 0xff;
    }
}

/* Store or load the registers of a list, lowest first; LR or PC is `extra`. */
static inline void store_list(u32 *reg, uint8_t *to, u32 list) {
    for (u32 i = 0; i < 8; i++)
        if (list >> i & 1) { memcpy(to, &reg[i], 4); to += 4; }
}

static inline void load_list(u32 *reg, const uint8_t *from, u32 list) {
    for (u32 i = 0; i < 8; i++)
        if (list >> i & 1) { memcpy(&reg[i], from, 4); from += 4; }
}

#define STOP goto before
#define LOAD(address, size, is_signed, target) { \
    u32 value, took = load(x, address, size, is_signed, cycles, &value); \
    if (!took) STOP; \
    target = value; cycles += took; break; }
#define STORE(address, size, value) { \
    u32 took = store(x, address, size, value); \
    if (!took) STOP; \
    cycles += took; break; }

/* Run until at least `budget` cycles are over, or up to an instruction that is not done here. The cycles it took. */
s64 burst(struct state *x, s64 budget) {
    u32 *reg = x->reg, pc = reg[PC] & ~1u, op = 0;
    struct flags f = {x->n, x->z, x->c, x->v};
    s64 cycles = 0;
    x->stop_address = 0;
    look(x, x->begin, x->primask, x->ipsr);
    while (cycles < budget) {
        const uint8_t *code = readable(x, pc, 4);
        uint16_t half;
        u32 next = pc + 2;
        if (!code) break;
        cycles += wait_for_flash(x, pc);
        memcpy(&half, code, 2);
        op = half;
        u32 d = op & 7, m = op >> 3 & 7, third = op >> 6 & 7, high = op >> 8 & 7, imm8 = op & 255, imm5 = op >> 6 & 31;
        switch (op >> 9) {
        /* shift by immediate, add, subtract, compare, move */
        case 0x00: case 0x01: case 0x02: case 0x03: reg[d] = shift_left(&f, reg[m], imm5); cycles++; break;
        case 0x04: case 0x05: case 0x06: case 0x07:
            reg[d] = shift_right(&f, reg[m], imm5 ? imm5 : 32); cycles++; break;
        case 0x08: case 0x09: case 0x0a: case 0x0b:
            reg[d] = shift_arithmetic(&f, reg[m], imm5 ? imm5 : 32); cycles++; break;
        case 0x0c: reg[d] = add(&f, reg[m], reg[third], 0); cycles++; break;
        case 0x0d: reg[d] = subtract(&f, reg[m], reg[third]); cycles++; break;
        case 0x0e: reg[d] = add(&f, reg[m], third, 0); cycles++; break;
        case 0x0f: reg[d] = subtract(&f, reg[m], third); cycles++; break;
        case 0x10: case 0x11: case 0x12: case 0x13: reg[high] = nz(&f, imm8); cycles++; break;
        case 0x14: case 0x15: case 0x16: case 0x17: subtract(&f, reg[high], imm8); cycles++; break;
        case 0x18: case 0x19: case 0x1a: case 0x1b: reg[high] = add(&f, reg[high], imm8, 0); cycles++; break;
        case 0x1c: case 0x1d: case 0x1e: case 0x1f: reg[high] = subtract(&f, reg[high], imm8); cycles++; break;
        case 0x20: case 0x21: data_processing(reg, &f, op); cycles++; break;
        /* ADD, CMP, MOV of any registers, BX, BLX */
        case 0x22: case 0x23: {
            u32 to = (op & 7) | (op >> 4 & 8), from = op >> 3 & 15;
            u32 a = to == PC ? pc + 4 : reg[to], b = from == PC ? pc + 4 : reg[from];
            u32 kind = op >> 8 & 3;
            if (kind == 3) {
                if (b >> 28 == 0xf || op & 7) STOP; /* the return of an interrupt */
                if (op & 0x80) reg[LR] = (pc + 2) | 1;
                next = b & ~1u; cycles += 2; break;
            }
            if (kind == 1) { subtract(&f, a, b); cycles++; break; }
            if (kind == 0) b += a;
            if (to == PC) { next = b & ~1u; cycles += 2; break; }
            reg[to] = to == SP ? b & ~3u : b; cycles++; break;
        }
        /* loads and stores */
        case 0x24: case 0x25: case 0x26: case 0x27: LOAD(((pc + 4) & ~3u) + (imm8 << 2), 4, 0, reg[high])
        case 0x28: STORE(reg[m] + reg[third], 4, reg[d])
        case 0x29: STORE(reg[m] + reg[third], 2, reg[d])
        case 0x2a: STORE(reg[m] + reg[third], 1, reg[d])
        case 0x2b: LOAD(reg[m] + reg[third], 1, 1, reg[d])
        case 0x2c: LOAD(reg[m] + reg[third], 4, 0, reg[d])
        case 0x2d: LOAD(reg[m] + reg[third], 2, 0, reg[d])
        case 0x2e: LOAD(reg[m] + reg[third], 1, 0, reg[d])
        case 0x2f: LOAD(reg[m] + reg[third], 2, 1, reg[d])
        case 0x30: case 0x31: case 0x32: case 0x33: STORE(reg[m] + (imm5 << 2), 4, reg[d])
        case 0x34: case 0x35: case 0x36: case 0x37: LOAD(reg[m] + (imm5 << 2), 4, 0, reg[d])
        case 0x38: case 0x39: case 0x3a: case 0x3b: STORE(reg[m] + imm5, 1, reg[d])
        case 0x3c: case 0x3d: case 0x3e: case 0x3f: LOAD(reg[m] + imm5, 1, 0, reg[d])
        case 0x40: case 0x41: case 0x42: case 0x43: STORE(reg[m] + (imm5 << 1), 2, reg[d])
        case 0x44: case 0x45: case 0x46: case 0x47: LOAD(reg[m] + (imm5 << 1), 2, 0, reg[d])
        case 0x48: case 0x49: case 0x4a: case 0x4b: STORE(reg[SP] + (imm8 << 2), 4, reg[high])
        case 0x4c: case 0x4d: case 0x4e: case 0x4f: LOAD(reg[SP] + (imm8 << 2), 4, 0, reg[high])
        /* addresses, stack */
        case 0x50: case 0x51: case 0x52: case 0x53: reg[high] = ((pc + 4) & ~3u) + (imm8 << 2); cycles++; break;
        case 0x54: case 0x55: case 0x56: case 0x57: reg[high] = reg[SP] + (imm8 << 2); cycles++; break;
        case 0x58:
            if (op & 0x100) STOP;
            reg[SP] = (op & 0x80 ? reg[SP] - ((op & 0x7f) << 2) : reg[SP] + ((op & 0x7f) << 2)) & ~3u;
            cycles++; break;
        case 0x59:
            if (op & 0x100) STOP;
            reg[d] = extend(reg[m], op >> 6 & 3); cycles++; break;
        case 0x5a: { /* PUSH */
            u32 low = (u32)__builtin_popcount(imm8), count = low + (op >> 8 & 1), bottom = reg[SP] - 4 * count;
            uint8_t *to = bottom & 3 || !count ? 0 : writable(x, bottom, 4 * count);
            if (!to) { x->stop_address = bottom; STOP; }
            store_list(reg, to, imm8);
            if (op & 0x100) memcpy(to + 4 * low, &reg[LR], 4);
            reg[SP] = bottom; cycles += 1 + low; break;
        }
        case 0x5b: /* CPSID i, CPSIE i */
            if (op != 0xb672 && op != 0xb662) STOP;
            x->primask = op == 0xb672; cycles++;
            look(x, x->begin + (u64)cycles, x->primask, x->ipsr);
            if (x->primask) break;
            x->primask_changed = 1;
            if (x->pending) { pc = next; goto out; }
            break;
        case 0x5d: { /* REV, REV16, REVSH */
            u32 value = reg[m], swapped = (value & 0xff00ff) << 8 | (value >> 8 & 0xff00ff), kind = op >> 6 & 7;
            if (kind == 0) reg[d] = __builtin_bswap32(value);
            else if (kind == 1) reg[d] = swapped;
            else if (kind == 3) reg[d] = (u32)(int16_t)swapped;
            else STOP;
            cycles++; break;
        }
        case 0x5e: { /* POP */
            u32 low = (u32)__builtin_popcount(imm8), count = low + (op >> 8 & 1), bottom = reg[SP];
            uint8_t *from = bottom & 3 || !count ? 0 : readable(x, bottom, 4 * count);
            if (!from) { x->stop_address = bottom; STOP; }
            if (op & 0x100) {
                u32 target;
                memcpy(&target, from + 4 * low, 4);
                if (target >> 28 == 0xf) STOP; /* the return of an interrupt */
                next = target & ~1u; cycles += 2;
            }
            load_list(reg, from, imm8);
            reg[SP] = bottom + 4 * count; cycles += 1 + low; break;
        }
        case 0x5f: /* NOP; not BKPT, WFI, WFE, SEV */
            if (op != 0xbf00) STOP;
            cycles++; break;
        case 0x60: case 0x61: case 0x62: case 0x63: case 0x64: case 0x65: case 0x66: case 0x67: { /* STM, LDM */
            u32 count = (u32)__builtin_popcount(imm8), bottom = reg[high];
            uint8_t *at = bottom & 3 || !count ? 0 :
                op & 0x800 ? readable(x, bottom, 4 * count) : writable(x, bottom, 4 * count);
            if (!at) { x->stop_address = bottom; STOP; }
            if (op & 0x800) {
                load_list(reg, at, imm8);
                for (u32 i = 0; i < count; i++) cycles += wait_for_flash(x, bottom + 4 * i);
            } else store_list(reg, at, imm8);
            if (!(imm8 >> high & 1)) reg[high] = bottom + 4 * count;
            cycles += 1 + count; break;
        }
        /* branches */
        case 0x68: case 0x69: case 0x6a: case 0x6b: case 0x6c: case 0x6d: case 0x6e: case 0x6f: {
            u32 condition = op >> 8 & 15;
            if (condition > 13) STOP; /* UDF, SVC */
            cycles++;
            if (holds(&f, condition)) { next = pc + 4 + (u32)((s32)(int8_t)imm8 * 2); cycles++; }
            break;
        }
        case 0x70: case 0x71: case 0x72: case 0x73: next = pc + 4 + (u32)((s32)(op << 21) >> 20); cycles += 2; break;
        case 0x78: case 0x79: case 0x7a: case 0x7b: { /* BL, barriers, MRS and MSR of PRIMASK and IPSR */
            uint16_t second;
            memcpy(&second, code + 2, 2);
            cycles += wait_for_flash(x, pc + 2);
            if ((second & 0xd000) == 0xd000) {
                u32 sign = op >> 10 & 1, i1 = !(sign ^ (second >> 13 & 1)), i2 = !(sign ^ (second >> 11 & 1));
                u32 offset = (sign ? 0xff000000u : 0) | i1 << 23 | i2 << 22 | (op & 0x3ff) << 12 | (second & 0x7ffu) << 1;
                reg[LR] = (pc + 4) | 1;
                next = pc + 4 + offset; cycles += 3; break;
            }
            next = pc + 4;
            if (op == 0xf3bf && (second >> 4 == 0x8f4 || second >> 4 == 0x8f5 || second >> 4 == 0x8f6)) {
                cycles += 3; break;
            }
            if (op == 0xf3ef && (second & 0xf0ff) == 0x8010) { reg[second >> 8 & 15] = x->primask; cycles += 3; break; }
            if (op == 0xf3ef && (second & 0xf0ff) == 0x8005) { reg[second >> 8 & 15] = x->ipsr; cycles += 3; break; }
            if (op >> 4 != 0xf38 || second != 0x8810) STOP;
            x->primask = reg[op & 15] & 1; x->primask_changed = 1; cycles += 3;
            look(x, x->begin + (u64)cycles, x->primask, x->ipsr);
            if (x->pending && !x->primask) { pc = next; goto out; }
            break;
        }
        default: STOP;
        }
        pc = next;
    }
    goto out;
before:
    x->stop_op = op;
out:
    reg[PC] = pc;
    x->n = f.n; x->z = f.z; x->c = f.c; x->v = f.v;
    return cycles;
}
