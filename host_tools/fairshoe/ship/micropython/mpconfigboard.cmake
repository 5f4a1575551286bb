# Board definition of a fairshoe image. image.cmake, beside it, is written for each build: chip, release or bench.
include(${CMAKE_CURRENT_LIST_DIR}/image.cmake)

list(APPEND MICROPY_DEF_BOARD FAIRSHOE_RELEASE=${FAIRSHOE_RELEASE})
set(MICROPY_SOURCE_BOARD ${CMAKE_CURRENT_LIST_DIR}/fairshoe_board.c ${CMAKE_CURRENT_LIST_DIR}/fairshoe_sum.c)
set(MICROPY_FROZEN_MANIFEST ${CMAKE_CURRENT_LIST_DIR}/manifest.py)

# The checkout's own, with hot code in RAM: ship/linker_script.py.
set(MICROPY_BOARD_LINKER_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/memmap.ld)

# A stack that overflows stops the processor, and the watchdog resets it, before it writes into the heap.
add_compile_definitions(PICO_USE_STACK_GUARDS=1)

# The same bytes wherever checkout, board folder and build folder lie.
add_compile_options(
    -ffile-prefix-map=${CMAKE_CURRENT_LIST_DIR}=board
    -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
    -ffile-prefix-map=${MICROPY_DIR}=micropython
)

# Frozen machine code loads its constants relative to a program counter that the processor rounds down to 4 bytes, and
# MicroPython 1.28 aligns such code to 2: in every other function a constant would be read two bytes off. The macro
# raises each alignment in this one file to 4; `fairshoe firmware image` checks the addresses that came out.
set_source_files_properties(${CMAKE_BINARY_DIR}/frozen_content.c PROPERTIES
    COMPILE_OPTIONS "-Daligned(n)=__aligned__((n) < 4 ? 4 : (n))")

if(FAIRSHOE_RELEASE)
    foreach(name mp_hal_set_interrupt_char mp_vfs_import_stat mp_raw_code_load_file)
        add_link_options(-Wl,--wrap=${name})
    endforeach()
endif()
