# embed_migrations.cmake: writes the SQL files of schema/ into one .cpp, so that a binary carries its
# migrations. Run as: cmake -DSCHEMA=folder -DOUTPUT=file -P embed_migrations.cmake
file(GLOB files ${SCHEMA}/*.sql)
list(SORT files)
set(rows "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+\\.sql$")
    message(FATAL_ERROR "${name}: a migration is named NNNN_what.sql")
  endif()
  math(EXPR number "1${CMAKE_MATCH_1} - 10000")
  file(READ ${file} sql)
  string(APPEND rows "    {${number}, \"${name}\", R\"sql(${sql})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from schema/ by cmake/embed_migrations.cmake.
#include \"daemon/store/migrations.h\"

namespace sluice {
namespace {
constexpr Migration rows[] = {
${rows}};
}  // namespace

std::span<const Migration> embedded_migrations() { return rows; }
}  // namespace sluice
")
