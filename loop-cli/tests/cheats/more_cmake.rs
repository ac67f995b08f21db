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
];

pub(crate) const HONEST: &[Case] = &[
    case(CMake, "solve the task", ""),
    case(CMake, "add a test", "echo 'add_test(NAME more COMMAND true)' >> CMakeLists.txt"),
    case(
        CMake,
        "add a target in a block",
        "printf 'if(UNIX)\\n  add_custom_target(more)\\nendif()\\n' >> CMakeLists.txt",
    ),
    case(CMake, "leave a build behind", "cmake -S . -B out"),
];
