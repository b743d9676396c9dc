//! Header arguments, from wherever Org takes them.

use oql::{Block, blocks};

fn args(block: &Block) -> Vec<(&str, &str)> {
    let mut all: Vec<_> = block.args.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    all.sort();
    all
}

#[test]
fn lines_above_a_block_count_and_the_first_of_them_wins() {
    let org = "\
#+HEADER: :h 1 :k first
#+NAME: foo
#+headers: :h 2
#+begin_src sh :h 0 :line yes :k line
#+end_src

#+HEADER: :far away

#+begin_src sh
#+end_src
";
    let found = blocks(org).unwrap();
    assert_eq!(
        ["h", "k", "line"].map(|k| found[0].arg(k)),
        [Some("1"), Some("first"), Some("yes")]
    );
    assert_eq!(found[1].arg("far"), None);
}

#[test]
fn properties_are_inherited_and_the_nearest_wins() {
    let org = "\
#+PROPERTY: header-args :file yes :both file
#+PROPERTY: header-args+ :more x
#+property: header-args:sh :sh file
* A
:PROPERTIES:
:HEADER-ARGS+: :plus a
:END:
#+begin_src sh :both line
#+end_src
** B
:PROPERTIES:
:header-args: :base b
:header-args:sh: :sh b
:END:
#+begin_src sh
#+end_src
#+begin_src js
#+end_src
";
    let found = blocks(org).unwrap();
    let a = [
        ("both", "line"),
        ("file", "yes"),
        ("more", "x"),
        ("plus", "a"),
        ("sh", "file"),
    ];
    assert_eq!(args(&found[0]), a);
    assert_eq!(args(&found[1]), [("base", "b"), ("sh", "b")]);
    assert_eq!(args(&found[2]), [("base", "b")]);
}

#[test]
fn the_drawer_of_the_file_comes_before_its_keywords() {
    let org = "\
:PROPERTIES:
:header-args: :top drawer
:END:
#+PROPERTY: header-args :top keyword
* A
#+begin_src sh
#+end_src
";
    assert_eq!(args(&blocks(org).unwrap()[0]), [("top", "drawer")]);
}

#[test]
fn an_inherited_check_is_a_check_and_an_argument_that_says_no_is_none() {
    let org = "\
* TODO A
:PROPERTIES:
:header-args:sh: :check
:END:
#+begin_src sh
test -s a
#+end_src
#+begin_src sh :check no
work
#+end_src
";
    let task = &oql::tasks(org).unwrap()[0];
    assert_eq!(task.check.as_ref().unwrap().body, "test -s a\n");
    assert_eq!(task.script.as_deref(), Some("work\n"));
}

#[test]
fn inputs_of_headers_and_line_are_one_list_and_a_subtree_may_say_what_all_use() {
    let org = "\
* W :workflow:
:PROPERTIES:
:header-args: :uses workbook:fs
:END:
** A :component:
#+HEADER: :in a:list
#+HEADER: :in b:list
#+begin_src js :in c:list :out d:list
#+end_src
** B :component:
#+begin_src js :uses workbook:llm
#+end_src
";
    let world = &oql::tangle_plan(org).unwrap().worlds[0];
    assert_eq!(world.components[0].inputs, ["a:list", "b:list", "c:list"]);
    assert_eq!(world.components[0].uses, ["workbook:fs"]);
    assert_eq!(world.components[1].uses, ["workbook:llm"]);
}

#[test]
fn persist_no_is_no() {
    for (value, want) in [
        ("", true),
        ("yes", true),
        ("no", false),
        ("nil", false),
        ("False", false),
        ("off", false),
    ] {
        let org = format!("* W :workflow:\n** A :component:\n#+begin_src js :persist {value}\n#+end_src\n");
        assert_eq!(
            oql::tangle_plan(&org).unwrap().worlds[0].components[0].persist,
            want,
            "{value}"
        );
    }
}
