# sluice.cmake: how every target of the project is made. One target a folder; the sources of a folder
# are all its .cpp files.

# g++ 12 sees out-of-bounds copies in std::string that are not there (GCC bug 105651), the more so with
# precompiled headers, which forget the pragmas of system headers.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wno-missing-field-initializers
                    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict
                    -Wno-stringop-overflow -Wno-stringop-overread -Werror)
# Coverage for libFuzzer. What clang++ warns of is not what g++ does, and g++ has the word.
if(SLUICE_LIBFUZZER)
  add_compile_options(-w -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
include_directories(${CMAKE_SOURCE_DIR})
# Headers of {fmt} without its shared library: its compiled part is common/base/fmt_impl.cpp.
get_filename_component(SLUICE_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# sluice_precompiled(TARGET [FROM library]): uses the precompiled headers of the library, else of base.
# Reading them is cheap, parsing what they hold is not: half of a small file's time.
function(sluice_precompiled target)
  cmake_parse_arguments(ARG "" "FROM" "" ${ARGN})
  if(NOT ARG_FROM)
    set(ARG_FROM base)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${ARG_FROM})
endfunction()

# sluice_library(NAME [FROM library] DEPENDS target...): the folder's sources as one static library.
# Its precompiled headers are its own, if it has a precompiled.h, else those of FROM, else of base.
function(sluice_library name)
  cmake_parse_arguments(ARG "" "FROM" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/precompiled.h)
    target_precompile_headers(${name} PRIVATE precompiled.h)
  else()
    sluice_precompiled(${name} FROM ${ARG_FROM})
  endif()
endfunction()

# sluice_program(NAME SOURCES file... DEPENDS target...): a program in bin/. libstdc++ is linked in:
# every shared library costs start-up time.
function(sluice_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  if(ARG_DEPENDS)
    sluice_precompiled(${name})
  endif()
endfunction()

# sluice_manual(PROGRAM SECTION): its man page, printed by itself after it is linked.
function(sluice_manual program section)
  set(folder ${CMAKE_BINARY_DIR}/share/man/man${section})
  add_custom_command(TARGET ${program} POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
                     COMMAND ${program} --man > ${folder}/${program}.${section})
endfunction()
