use super::cmake::{merge, test_words};

const FIRST: &str = "project(sums C)\nenable_testing()\nadd_subdirectory(qa)\nadd_subdirectory(src)\nadd_library(sums src/add.c)\nif(UNIX)\n  add_executable(check tests/add.c)\n  \
     add_test(NAME add COMMAND check)\nendif()\n";

#[test]
fn other_targets_sources_and_tests_are_welcome() {
    for judged in [
        FIRST.to_owned(),
        FIRST.replace("src/add.c", "src/add.c src/more.c"),
        FIRST.replace("tests/add.c", "tests/add.c src/more.c"),
        FIRST.replace("enable_testing()", "ENABLE_TESTING( ) # ("),
        format!("{FIRST}if(WIN32)\n  add_test(NAME more COMMAND more)\nendif()\n"),
        format!("{FIRST}install(TARGETS sums)\n"),
        format!("{FIRST}target_link_libraries(check sums)\n"),
        format!("{FIRST}add_custom_target(run COMMAND check DEPENDS check)\ninclude(GNUInstallDirs)\n"),
        format!("#[[ more\nreturn() ]] # see [[\n{FIRST}#[==[ ]] ]=] ]==]"),
        FIRST.replace("enable_testing()", "enable_testing(#[[ now ]])"),
        FIRST.replace("add_subdirectory(src)", "add_subdirectory(sources)"),
    ] {
        assert_eq!(merge(FIRST, &judged).as_deref(), Some(&*judged));
    }
}

#[test]
fn only_words_of_tests_name_files_that_judge() {
    let text =
        "add_library(sums a.c)\nadd_test(NAME add COMMAND sh ${CMAKE_SOURCE_DIR}/qa/sums.sh src/main.sh)\n";
    assert_eq!(test_words(text), "\"NAME\"\n\"add\"\n\"COMMAND\"\n\"sh\"\n\"qa/sums.sh\"\n");
}

#[test]
fn lists_of_tests_stay() {
    let first = "set(CASES one two)\nfile(GLOB MORE ${CMAKE_SOURCE_DIR}/qa/*.sh)\nforeach(case IN LISTS CASES MORE)\n  \
         add_test(NAME ${case} COMMAND sh qa/${case}.sh)\nendforeach()\n";
    assert!(test_words(first).contains("testMatch: [\"qa/*.sh\"]\n"), "{}", test_words(first));
    assert!(merge(first, &first.replace("one two", "one two three")).is_some());
    for judged in [
        first.replace("one two", "two"),
        first.replace("qa/*.sh", "mine/*.sh"),
        first.replace("foreach(case", "list(REMOVE_ITEM CASES one)\nforeach(case"),
    ] {
        assert_eq!(merge(first, &judged), None, "{judged}");
    }
}

#[test]
fn the_tests_of_the_start_stay() {
    for judged in [
        FIRST.replace("COMMAND check", "COMMAND true"),
        FIRST.replace("tests/add.c", "fake.c"),
        FIRST.replace("if(UNIX)", "if(FALSE)"),
        FIRST.replace("if(UNIX)", "if(FALSE)\nelseif(UNIX)"),
        FIRST.replace("endif()", "endif()\nset_tests_properties(add PROPERTIES WILL_FAIL ON)"),
        FIRST.replace("endif()", "set_property(TEST add PROPERTY DISABLED ON)\nendif()"),
        format!("macro(ADD_TEST)\nendmacro()\n{FIRST}"),
        format!("set(CMAKE_CROSSCOMPILING_EMULATOR true)\n{FIRST}"),
        format!("{FIRST}set_target_properties(check PROPERTIES SOURCES fake.c)\n"),
        format!("{FIRST}add_custom_command(TARGET check POST_BUILD COMMAND cp /bin/true check)\n"),
        format!("{FIRST}add_custom_target(more ALL COMMAND cp /bin/true check DEPENDS check)\n"),
        format!("include(${{CMAKE_SOURCE_DIR}}/more.txt)\n{FIRST}"),
        format!("set(CMAKE_C_LINK_EXECUTABLE true)\n{FIRST}"),
        format!("configure_file(more.in CTestCustom.cmake)\n{FIRST}"),
        format!("add_definitions(-DNDEBUG)\n{FIRST}"),
        format!("set(CMAKE_BUILD_TYPE Release)\n{FIRST}"),
        format!("return()\n{FIRST}"),
        format!("#[ x\nreturn()\n#]]\n{FIRST}"),
        format!("message([[\"]])\nreturn()\nmessage([[\"]])\n{FIRST}"),
        format!("#[=[\n{FIRST}]=]"),
        format!("{FIRST}#[[ ]=]"),
        format!("#[=[ ]=]return()#[=[ ]=]\n{FIRST}"),
        format!("message(\"#[[\")\nreturn()\nmessage(\"]]\")\n{FIRST}"),
        format!("message(\\\"#[[\\\")]]\nreturn()\n{FIRST}"),
        format!("message(\\#[[)\nreturn()\nmessage(]])\n{FIRST}"),
        format!("message([[#[[]])\nreturn()#]]\n{FIRST}"),
        format!("#=[[\nreturn()\n#]]\n{FIRST}"),
        FIRST.replace("enable_testing()", ""),
        FIRST.replace("add_subdirectory(qa)", ""),
        String::new(),
    ] {
        assert_eq!(merge(FIRST, &judged), None, "{judged}");
    }
}
