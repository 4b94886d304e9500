# Compiles models as part of a CMake build.
#
#   list(APPEND CMAKE_MODULE_PATH <LeZero>/cmake)
#   include(LeZero)                       # -DLeZero_ROOT=<LeZero>/build/release
#   lz_add_model(digits digits.onnx)
#   add_executable(app app.cpp)
#   target_link_libraries(app PRIVATE LeZero::LeZero)
#   lz_use_model(app digits)
#
# LeZero_ROOT is a build folder of LeZero, or the folder it is installed in.
# Provides:
#   LeZero::LeZero     the runtime library, with lezero/lezero.hpp
#   LEZERO_LZC         the compiler
#   lz_add_model(), lz_use_model()

find_program(LEZERO_LZC lzc
  HINTS ${LeZero_ROOT} PATH_SUFFIXES bin REQUIRED)
find_library(LEZERO_LIBRARY lezero
  HINTS ${LeZero_ROOT} PATH_SUFFIXES lib REQUIRED)
find_path(LEZERO_INCLUDE_DIR lezero/lezero.hpp
  HINTS ${LeZero_ROOT}/include ${CMAKE_CURRENT_LIST_DIR}/../runtime/include
  REQUIRED)
mark_as_advanced(LEZERO_LZC LEZERO_LIBRARY LEZERO_INCLUDE_DIR)

if(NOT TARGET LeZero::LeZero)
  add_library(LeZero::LeZero UNKNOWN IMPORTED)
  set_target_properties(LeZero::LeZero PROPERTIES
    IMPORTED_LOCATION "${LEZERO_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LEZERO_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()

# lz_add_model(<target> <model.onnx>
#              [OUTPUT <file>]         default: <target>.so in the binary folder
#              [TARGET cpu|cuda] [CPU <cpu>,...] [OPT_LEVEL O0|O1|O2|O3]
#              [DIMS <name>=<size>...] sizes that are fixed at compile time
#              [DEPENDS <file>...]     files of external weights
#              [FLAGS <flag>...])      anything else for lzc
#
# Adds a target that compiles the model whenever it, one of DEPENDS or lzc
# changes. The artifact's path is the target's property LEZERO_ARTIFACT.
function(lz_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG
    "" "OUTPUT;TARGET;CPU;OPT_LEVEL" "DIMS;DEPENDS;FLAGS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "lz_add_model(${target}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(ABSOLUTE_PATH model NORMALIZE)
  if(NOT EXISTS "${model}")
    message(FATAL_ERROR "lz_add_model(${target}): no file ${model}")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${target}.so)
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT
    BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  cmake_path(GET ARG_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")

  set(flags ${ARG_FLAGS})
  if(ARG_TARGET)
    list(APPEND flags --target=${ARG_TARGET})
  endif()
  if(ARG_CPU)
    list(APPEND flags --cpu=${ARG_CPU})
  endif()
  if(ARG_OPT_LEVEL)
    list(APPEND flags --opt-level=${ARG_OPT_LEVEL})
  endif()
  foreach(dim IN LISTS ARG_DIMS)
    list(APPEND flags --dim ${dim})
  endforeach()

  add_custom_command(OUTPUT "${ARG_OUTPUT}"
    COMMAND "${LEZERO_LZC}" "${model}" -o "${ARG_OUTPUT}" ${flags}
    DEPENDS "${model}" "${LEZERO_LZC}" ${ARG_DEPENDS}
    COMMENT "Compiling ${target} with lzc"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${ARG_OUTPUT}")
  set_target_properties(${target} PROPERTIES LEZERO_ARTIFACT "${ARG_OUTPUT}")
endfunction()

# lz_use_model(<program> <model target>): builds the model with the program, and
# defines LEZERO_MODEL_<MODEL TARGET> there as the artifact's path.
function(lz_use_model program model)
  get_target_property(artifact ${model} LEZERO_ARTIFACT)
  add_dependencies(${program} ${model})
  string(MAKE_C_IDENTIFIER ${model} id)
  string(TOUPPER ${id} id)
  target_compile_definitions(${program} PRIVATE
    "LEZERO_MODEL_${id}=\"${artifact}\"")
endfunction()
