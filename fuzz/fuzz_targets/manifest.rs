//! Any text as a manifest: an answer, every line it names is there, and a field that was read is one that is written so.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(read) = toolkit::Manifest::read(text, "it") else { return };
    let lines = text.split('\n').count();
    for problem in read.problems.iter().chain(&read.mirrors) {
        assert!(problem.line.is_none_or(|line| (1..=lines).contains(&line)));
    }
    if let Some(source) = &read.build_src {
        assert_eq!(toolkit::BuildSrc::read(&source.text()).as_ref(), Ok(source));
    }
    let unsigned = toolkit::without_signature(text);
    assert!(unsigned.len() <= text.len());
    if let Ok(again) = toolkit::Manifest::read(&unsigned, "it") {
        assert!(read.signature.is_none() || again.title == read.title);
    }
});
