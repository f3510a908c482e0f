# Reads avr-size -A and says what a program takes of its board; fails above MOST percent of either.
# What is in .data stands in flash and is copied to RAM; the rest of the RAM is for the stack.
$1 == ".text" { flash += $2 }
$1 == ".data" { flash += $2; ram += $2 }
$1 == ".bss" || $1 == ".noinit" { ram += $2 }
END {
    split(ROOM, room, " ")
    printf "%s: flash %d of %d bytes (%.1f %%), RAM %d of %d bytes (%.1f %%)\n", BOARD,
        flash, room[1], 100 * flash / room[1], ram, room[2], 100 * ram / room[2]
    if (flash == 0 || 100 * flash > MOST * room[1] || 100 * ram > MOST * room[2]) {
        printf "%s: at most %d %% are allowed\n", BOARD, MOST
        exit 1
    }
}
