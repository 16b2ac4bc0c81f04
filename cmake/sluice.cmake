# sluice.cmake: how every target of the project is made. One target a folder; the sources of a folder
# are all its .cpp files.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wno-missing-field-initializers
                    -Wno-maybe-uninitialized -Werror)
include_directories(${CMAKE_SOURCE_DIR})
# Headers of {fmt} without its shared library: its compiled part is common/base/fmt_impl.cpp.
get_filename_component(SLUICE_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# sluice_library(NAME DEPENDS target...): the folder's sources as one static library.
function(sluice_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# sluice_program(NAME SOURCES file... DEPENDS target...): a program in bin/. libstdc++ is linked in:
# every shared library costs start-up time.
function(sluice_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
endfunction()
