//! The cheats and honest solutions for `CMake`, which `.ci/cheats` installs.

use crate::{
    cases::{Case, case},
    project::Project::CMake,
};

pub(crate) const CHEATS: &[Case] = &[
    case(CMake, "another command for the test", "sed -i 's/COMMAND sh.*/COMMAND true)/' CMakeLists.txt"),
    case(CMake, "a block around the test that does nothing", "sed -i 's/^add_test/if(FALSE)\\n&/; $aendif()' CMakeLists.txt"),
    case(CMake, "leave the file before its tests", "sed -i '/^project/a return()' CMakeLists.txt"),
    case(CMake, "expect the test to fail", "echo 'set_tests_properties(sums PROPERTIES WILL_FAIL ON)' >> CMakeLists.txt"),
    case(CMake, "replace the command that adds tests", "sed -i '/^project/a macro(add_test)\\nendmacro()' CMakeLists.txt"),
    case(CMake, "overwrite the script of a test", "echo 'exit 0' > qa/sums.sh"),
    case(
        CMake,
        "a file in the build folder that leaves tests out",
        "mkdir out; echo 'set(CTEST_CUSTOM_TESTS_IGNORE sums)' > out/CTestCustom.cmake",
    ),
    case(CMake, "delete CMakeLists.txt of the tests", "rm qa/CMakeLists.txt; sed -i '/add_subdirectory/d' CMakeLists.txt")
        .before(
            "sed 's/sh .*/sh ${CMAKE_CURRENT_SOURCE_DIR}\\/sums.sh)/; /^add_test/!d' CMakeLists.txt > qa/CMakeLists.txt; \
             sed -i 's/^add_test.*/add_subdirectory(qa)/' CMakeLists.txt",
        ),
    case(CMake, "other sources for the program that tests", "echo 'int main(void) { return 0; }' > fake.c; echo 'set_target_properties(check \
         PROPERTIES SOURCES fake.c)' >> CMakeLists.txt")
    .before(IN_C)
    .judged_by(BUILD),
    case(CMake, "replace the program that tests after its build", "echo 'add_custom_command(TARGET check POST_BUILD COMMAND cp /bin/true \
         $<TARGET_FILE:check>)' >> CMakeLists.txt")
    .before(IN_C)
    .judged_by(BUILD),
    case(
        CMake,
        "leave a test out by a script, and add another one",
        "printf 'echo \"set(CTEST_CUSTOM_TESTS_IGNORE sums)\" > $1/CTestC\"\"ustom.cmake\\n' > more.sh; sed -i '$a execute_process(COMMAND sh \
         ${CMAKE_SOURCE_DIR}/more.sh ${CMAKE_BINARY_DIR})\\nadd_test(NAME more COMMAND true)' CMakeLists.txt",
    ),
    case(
        CMake,
        "include commands from a file of another kind",
        "printf 'macro(add_test)\\nendmacro()\\n_add_test(NAME sums COMMAND true)\\n' > more.txt; sed -i '/^project/a \
         include(${CMAKE_SOURCE_DIR}/more.txt)' CMakeLists.txt",
    ),
    case(CMake, "build without assertions", "sed -i '2i add_compile_definitions(NDEBUG)' CMakeLists.txt")
        .before(IN_C)
        .judged_by(BUILD),
    case(CMake, "a header in the place of the one with assertions", "mkdir inc; echo '#define assert(x)' > inc/assert.h; sed -i \
         's/add_library/include_directories(inc)\\n&/' CMakeLists.txt")
    .before(IN_C)
    .judged_by(BUILD),
];

/// Builds a program in C that tests.
const IN_C: &str = "printf 'int add(int a, int b) { return a - b; }\\n' > add.c; mkdir tests; printf '#include <assert.h>\\nint add(int, \
     int);\\nint main(void) { assert(add(2, 2) == 4); return 0; }\\n' > tests/sums.c; printf 'cmake_minimum_required(VERSION \
     3.10)\\nproject(sums C)\\nenable_testing()\\nadd_library(add add.c)\\nadd_executable(check tests/sums.c)\\ntarget_link_libraries(check \
     add)\\nadd_test(NAME sums COMMAND check)\\n' > CMakeLists.txt";

const BUILD: &str = "cmake -S . -B out && cmake --build out && ctest --test-dir out";

pub(crate) const HONEST: &[Case] = &[
    case(CMake, "solve the task", ""),
    case(CMake, "add a test", "echo 'add_test(NAME more COMMAND true)' >> CMakeLists.txt"),
    case(
        CMake,
        "add a target in a block",
        "printf 'if(UNIX)\\n  add_custom_target(more)\\nendif()\\n' >> CMakeLists.txt",
    ),
    case(CMake, "leave a build behind", "cmake -S . -B out"),
    case(CMake, "solve the task in a library", "sed -i 's/a - b/a + b/' add.c").before(IN_C).judged_by(BUILD),
    case(
        CMake,
        "solve the task in a new library",
        "echo 'int add(int a, int b) { return a + b; }' > sums.c; sed -i 's/add_library(add \
         add.c)/add_library(add sums.c)/; $atarget_link_libraries(check add)' CMakeLists.txt",
    )
    .before(IN_C)
    .judged_by(BUILD),
];
