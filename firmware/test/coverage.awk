# Reads gcov's text files and says how many lines of src/core ran in any of them; fails below the LOWEST percent.
# Each line of such a file is COUNT:LINE:TEXT; a count of - is no code, ##### never ran.
BEGIN { FS = ":" }
{ gsub(/ /, "", $1); gsub(/ /, "", $2) }
$2 == "0" && $3 == "Source" { source = $4; counts = source ~ /src\/core\// }
$2 == "0" || !counts || $1 == "-" { next }
{
    sub(/^.*\//, "", source)
    place = source ":" $2
    if (!(place in code)) { code[place] = 0; ++lines }
    if ($1 !~ /^[#=]/ && !code[place]) { code[place] = 1; ++ran }
}
END {
    for (place in code) if (!code[place]) print "never ran: " place | "sort -V"
    close("sort -V")
    percent = lines ? 100 * ran / lines : 0
    printf "%d of %d lines of src/core ran: %.1f %%\n", ran, lines, percent
    if (percent < LOWEST) { printf "at least %d %% are wanted\n", LOWEST; exit 1 }
}
