# Fails if LIBRARY exports a symbol that does not start with lz_.
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "^$")
list(LENGTH symbols count)
list(FILTER symbols EXCLUDE REGEX "^lz_")
if(symbols OR count LESS 20)
  message(FATAL_ERROR "of ${count} exported symbols, not lz_*: ${symbols}")
endif()
