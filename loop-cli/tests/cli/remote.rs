//! Addresses in `/read`, `/attach`, `loop rag ingest` and the tool `fetch_url`, and PDFs in `/read-pdf`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    thread,
};

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::json;

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::ModelServer,
    screen::SIZES,
    support::{CommandResult, RunningCommand, Scenario},
};

/// Starts a server of pages, which runs until the tests end.
fn pages() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().expect("a copy")).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let (head, body) = match first.split(' ').nth(1).unwrap_or_default() {
                "/bread" => ("200 OK\r\ncontent-type: text/html", "<h1>Rye</h1>Bread needs <b>water</b>."),
                "/image" => ("200 OK\r\ncontent-type: image/png", "\u{1}PNG\0"),
                "/metadata" => ("302 Found\r\nlocation: http://169.254.169.254/latest", ""),
                "/gone" => ("410 Gone", ""),
                _ => ("404 Not Found", ""),
            };
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            // The reader may have gone.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

const ON: &str = "[remote]\nenabled = true\nallow = [\"127.0.0.1\"]\n";

/// Runs `loop` with these settings of the user.
fn run_with(scenario: &Scenario, settings: &str, args: &[&str]) -> CommandResult {
    scenario.write("settings.toml", settings.to_owned() + "\n");
    let mut command = scenario.loop_command(args);
    RunningCommand::new(command.env("LOOP_CONFIG", scenario.path("settings.toml"))).finish()
}

#[test]
fn an_address_is_a_document_only_where_the_user_allows_it() {
    let (scenario, address) = (Scenario::new(), pages());
    let url = |path: &str| format!("http://{address}{path}");
    scenario.write("docs/a.md", "Oven.\n");
    scenario.run(&["rag", "new", "docs"]).exits(0);
    let ingest = |settings: &str, path: &str| run_with(&scenario, settings, &["rag", "ingest", &url(path)]);
    let hint = "`enabled = true` under `[remote]`";
    ingest("", "/bread").exits(2).says(&[hint]);
    ingest("[remote]\nenabled = true\n", "/bread")
        .exits(3)
        .says(&["127.0.0.1 is not on the public internet"]);
    ingest(ON, "/metadata").exits(3).says(&["169.254.169.254 is not on the public internet"]);
    ingest(ON, "/gone").exits(3).says(&["/gone answered with the status 410"]);
    scenario.run(&["rag", "status"]).exits(0).prints(&["0 "]);
    ingest(ON, "/bread").exits(0).prints(&["1 added"]);
    ingest(ON, "/bread").exits(0).prints(&["1 unchanged"]);
    // The folder does not contain the page, so the page stays.
    let docs = run_with(&scenario, ON, &["rag", "ingest", "--prune", "."]);
    docs.exits(0).prints(&["0 dropped"]);
    let found = scenario.run(&["rag", "query", "water"]).exits(0).stdout;
    assert!(found.contains(&format!("{}:1-3  # Rye", url("/bread"))), "{found}");
    // A project cannot allow anything.
    scenario.write("loop.toml", ON);
    scenario.run(&["rag", "status"]).exits(2).says(&["`enabled` is only for a user's own settings"]);
}

#[test]
fn a_model_reads_addresses_only_where_the_user_allows_it() {
    let (scenario, address) = (Scenario::new(), pages());
    let call = |path: &str| {
        let arguments = json!({ "url": format!("http://{address}{path}") }).to_string();
        Answer::calls([Call::new("c1", "fetch_url", [arguments.as_str()])])
    };
    for (settings, path, expected) in [
        ("", "/bread", "there is no tool"),
        (ON, "/bread", "# Rye\\n\\nBread needs water."),
        (ON, "/metadata", "not on the public internet"),
        ("[remote]\nenabled = true\n", "/bread", "not on the public internet"),
    ] {
        let server = ModelServer::new([call(path), Answer::deltas(["Done."])]);
        scenario.write("settings.toml", settings.to_owned() + "\n");
        let args = ["chat", "--model", "openai:scripted", "--prompt", "Read it."];
        let mut command = server.command(&scenario, &args);
        RunningCommand::new(command.env("LOOP_CONFIG", scenario.path("settings.toml"))).finish().exits(0);
        let requests = server.requests();
        let is_offered = requests[0].body["tools"].to_string().contains("fetch_url");
        assert_eq!(is_offered, !settings.is_empty());
        let results = requests[1].body["messages"].to_string();
        assert!(results.contains(expected), "{expected}: {results}");
    }
}

#[test]
fn a_person_shows_pages_and_images_to_the_model() {
    let (scenario, address) = (Scenario::new(), pages());
    let server = ModelServer::new([Answer::deltas(["Yes."])]);
    let mut chat = ChatHarness::with_settings(&scenario, &server, ON, SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says(&format!("/read http://{address}/bread"), "/bread, 25 B");
    chat.says(&format!("/attach http://{address}/image"), "/image, 5 B, goes with the next prompt");
    chat.says(&format!("/read http://{address}/image"), "is not text, but image/png");
    chat.says(&format!("/read http://{address}/metadata"), "169.254.169.254 is not on the public internet");
    chat.says("Enough?", "Yes.");
    chat.leaves();
    let request = server.requests()[0].body["messages"].to_string();
    assert!(request.contains(&format!("[the page http://{address}/bread]\\n# Rye")), "{request}");
    assert!(request.contains("data:image/png;base64,AVBORwA="), "{request}");
}

const ALLOWED: &str = "[policy]\nallow = [\"pdfinfo\", \"pdftotext\"]\n";

/// Writes programs into the folder `bin` outside of the workspace.
fn write_programs(scenario: &Scenario, programs: &[(&str, &str)]) -> PathBuf {
    fs::create_dir_all(scenario.path("../bin")).expect("a folder");
    let bin = scenario.path("../bin").canonicalize().expect("a folder");
    for (name, script) in programs {
        fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).expect("a program");
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("a program");
    }
    bin
}

#[test]
fn a_killed_command_leaves_no_reader() {
    let scenario = Scenario::new();
    let fifo = scenario.fifo("held");
    let bin =
        write_programs(&scenario, &[("sftp", "exec 3>\"$HOME/held\"; echo started >&3; exec sleep 1000")]);
    scenario.run(&["rag", "new", "docs"]).exits(0);
    scenario.write("settings.toml", ON);
    let mut command = scenario.loop_command(&["rag", "ingest", "sftp://127.0.0.1/a"]);
    command.env("LOOP_CONFIG", scenario.path("settings.toml")).env("HOME", scenario.path("."));
    let running = RunningCommand::new(command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())));
    assert_eq!(fifo.line(), "started\n");
    running.signal(Signal::KILL);
    running.killed();
    fifo.released();
}

/// Opens a session. The folder `bin` comes first on the PATH.
fn with_programs(scenario: &Scenario, server: &ModelServer, programs: &[(&str, &str)]) -> ChatHarness {
    scenario.write("settings.toml", ALLOWED);
    let bin = write_programs(scenario, programs);
    // The harness itself needs this program.
    let folders = std::env::var_os("PATH").expect("a PATH");
    let mut setsid = std::env::split_paths(&folders).map(|folder| folder.join("setsid"));
    let setsid = setsid.find(|file| file.exists()).expect("setsid");
    std::os::unix::fs::symlink(setsid, bin.join("setsid")).expect("a link");
    let path = if programs.is_empty() {
        bin.display().to_string()
    } else {
        format!("{}:/usr/bin:/bin", bin.display())
    };
    let chat = ChatHarness::open(scenario, &["chat", "--model", "openai:scripted"], SIZES[0], |command| {
        answered_by(command, server);
        command.env("LOOP_CONFIG", scenario.path("settings.toml")).env("PATH", path);
    });
    chat.wait_for_prompt_after("/help");
    chat
}

#[test]
fn a_pdf_is_read_twenty_pages_at_a_time() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Yes."])]));
    scenario.write("a b.pdf", "%PDF-1.7\n");
    scenario.write("-big.pdf", "%PDF-1.7\n");
    let info = "case $1 in *big*) echo 'Pages:          100000' ;; *) echo 'Pages:          25' ;; esac";
    let text = "case $5 in *big*) yes 'the same words' | head -c 300000 ;; *) echo \"from $2 to $4 in $5 $6\" ;; esac";
    let mut chat = with_programs(&scenario, &server, &[("pdfinfo", info), ("pdftotext", text)]);
    chat.says("/read-pdf 'a b.pdf'", "read a b.pdf, ");
    chat.says("/read-pdf 'a b.pdf' 3,24-90", "read a b.pdf, ");
    chat.says("/read-pdf 'a b.pdf' 26", "a b.pdf has only 25 pages");
    chat.says("/read-pdf 'a b.pdf' 5-2", "`5-2` are not pages");
    chat.says("/read-pdf -big.pdf", "; cut before page ");
    chat.says("/read-pdf ../../x.pdf", "outside");
    chat.says("Enough?", "Yes.");
    chat.leaves();
    let request = server.requests()[0].body["messages"].to_string();
    for part in ["from 1 to 20 in ./a b.pdf -", "from 21 to 25 in", "from 3 to 3 in", "from 24 to 25 in"] {
        assert!(request.contains(part), "{part}: {}", &request[..2_000]);
    }
    assert!(request.len() < 100_000, "{}", request.len());
}

#[test]
fn a_pdf_is_a_document_where_the_policy_allows_poppler() {
    let scenario = Scenario::new();
    scenario.write("docs/rye.pdf", "%PDF-1.7\0");
    // Each page has 4 KiB, so that 20 pages are more than a tool returns.
    let text = "test \"$2\" != \"$4\" || echo References; for page in $(seq $2 $4); do printf '[%s] Baker. doi:10.1000/%s ' $page $page; \
                head -c 4000 /dev/zero | tr '\\0' x; echo; done";
    let bin = write_programs(&scenario, &[("pdfinfo", "echo 'Pages:  25'"), ("pdftotext", text)]);
    scenario.run(&["rag", "new", "docs"]).exits(0);
    let ingest = |settings: &str, path: String| {
        scenario.write("settings.toml", settings.to_owned() + "\n");
        let mut command = scenario.loop_command(&["rag", "ingest", "docs"]);
        RunningCommand::new(command.env("LOOP_CONFIG", scenario.path("settings.toml")).env("PATH", path))
            .finish()
    };
    let path = format!("{}:/usr/bin:/bin", bin.display());
    ingest("", path.clone())
        .exits(0)
        .prints(&["skipped 1: a PDF without its text"])
        .says(&["docs/rye.pdf: "]);
    ingest(ALLOWED, bin.join("empty").display().to_string()).exits(0).says(&["`poppler-utils`"]);
    ingest(ALLOWED, path.clone()).exits(0).prints(&["1 added"]);
    ingest(ALLOWED, path).exits(0).prints(&["1 unchanged"]);
    for page in [1, 20, 25] {
        let query = format!("doi:10.1000/{page}");
        let found = scenario.run(&["rag", "query", &query, "--json"]).exits(0).stdout;
        let first: serde_json::Value =
            serde_json::from_str(found.lines().next().expect("a hit")).expect("JSON");
        assert_eq!((&first["tags"], &first["source"]), (&json!([query]), &json!("docs/rye.pdf")), "{found}");
    }
}

#[test]
fn without_poppler_its_package_is_named() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([]));
    scenario.write("a.pdf", "%PDF-1.7\n");
    let mut chat = with_programs(&scenario, &server, &[]);
    chat.says("/read-pdf a.pdf", "`poppler-utils`");
    chat.leaves();
}

#[test]
fn a_large_file_becomes_a_summary() {
    let answers = ["One.", "Two.", "Both.", "Yes."].map(|text| Answer::deltas([text]));
    let (scenario, server) = (Scenario::new(), ModelServer::new(answers));
    scenario.write("a.md", "one line\ntwo lines\nthree\n");
    let mut chat = ChatHarness::with_settings(&scenario, &server, "[chat]\n", SIZES[0]);
    chat.wait_for_prompt_after("/help");
    let line = "/read-chunks a.md --chunk-size 10 --max-chunks 2 Which numbers?";
    chat.says(line, "a summary of a.md from 2 parts, 5 B; the last 6 B are not in it");
    chat.says("/read-chunks", "the file is missing");
    chat.says("/read-chunks ../../x", "outside");
    chat.says("Enough?", "Yes.");
    chat.leaves();
    let requests: Vec<_> =
        server.requests().iter().map(|request| request.body["messages"].to_string()).collect();
    assert!(requests[0].contains("part 1 of 2") && requests[0].contains("one line"), "{}", requests[0]);
    assert!(
        requests[0].contains("Which numbers?") && !requests[0].contains("two lines\\n"),
        "{}",
        requests[0]
    );
    assert!(requests[2].contains("One.\\n\\nTwo."), "{}", requests[2]);
    assert!(requests[3].contains("[a summary of the file a.md]\\nBoth."), "{}", requests[3]);
}

#[test]
fn a_file_that_would_fill_the_window_is_summarised_by_read() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([]));
    scenario.write("a.md", "the same words again\n".repeat(400));
    let settings =
        "[reading]\nchunk_bytes = 5000\n[models.small]\nmodel = \"openai:scripted\"\ncontext_tokens = 2500\n";
    let mut chat = ChatHarness::with_settings(&scenario, &server, settings, SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/model use small", "answers from now on");
    // The model has no answer, but it is asked for one.
    chat.says("/read a.md", "error: the model did not answer");
    chat.leaves();
    let request = server.requests()[0].body["messages"].to_string();
    assert!(request.contains("part 1 of 2 of the file a.md"), "{}", &request[..request.len().min(2_000)]);
}

#[test]
fn a_text_of_256_kib_is_attached_whole_and_a_larger_one_is_not() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Yes."])]));
    scenario.write("a.md", "the same words again".repeat(13_000));
    scenario.write("b.md", "the same words again".repeat(14_000));
    scenario.write("c.bin", "\0");
    let mut chat = ChatHarness::with_settings(&scenario, &server, "[chat]\n", SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/attach a.md", "attached a.md, 253.9 KiB");
    chat.says("/attach b.md", "the limit is 256 KiB: /read-chunks summarises it");
    chat.says("/attach c.bin", "c.bin is not text");
    chat.says("Enough?", "Yes.");
    chat.leaves();
    let request = server.requests()[0].body["messages"].to_string();
    assert!(request.contains("[the file a.md]") && request.len() > 260_000, "{}", request.len());
}
