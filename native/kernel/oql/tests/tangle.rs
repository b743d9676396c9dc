//! The plan compiled for running.

#[test]
fn a_component_carries_all_its_header_arguments() {
    let org = "\
* W :workflow:
** A :component:
#+begin_src js -n :in a:list<u8>, b:t :in c:t :uses workbook:fs,net :uses llm :deps x, y :dir ./proj :out o:record { x: u8, y: u8 } :cache no :tangle
,* star
  ,#+keyword
,,* twice
body
#+end_src
";
    let plan = oql::tangle_plan(org).unwrap();
    let c = &plan.worlds[0].components[0];
    assert_eq!(c.lang.as_deref(), Some("js"));
    assert_eq!(c.inputs, ["a:list<u8>", "b:t", "c:t"]);
    assert_eq!(c.output.as_deref(), Some("o:record { x: u8, y: u8 }"));
    assert_eq!(c.uses, ["workbook:fs", "net", "llm"]);
    assert_eq!(c.deps, ["x", "y"]);
    assert_eq!(c.dir.as_deref(), Some("./proj"));
    assert_eq!(c.src.as_deref(), Some("* star\n  #+keyword\n,* twice\nbody\n"));
    let args: Vec<_> = c.args.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(args, [("cache", "no"), ("tangle", "")]);
    assert!(!c.persist);
}

#[test]
fn a_nested_workflow_is_a_world_of_its_own() {
    let org = "\
* W :workflow:
** A :component:
#+begin_src js :uses fs :out x:t
#+end_src
** group
*** N :workflow:
**** B :component:
#+begin_src js :in x:t :out y:t :uses net
#+end_src
** C :component:
#+begin_src js :in x:t
#+end_src
";
    let plan = oql::tangle_plan(org).unwrap();
    let world = &plan.worlds[0];
    let names = |w: &oql::World| w.components.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(world), ["A", "C"]);
    assert_eq!(world.imports, ["fs"]);
    assert_eq!(
        world.edges,
        [oql::Edge {
            from: "A".into(),
            to: "C".into()
        }]
    );
    let nested = &world.workflows[0];
    assert_eq!((nested.name.as_str(), names(nested)), ("N", vec!["B".to_owned()]));
    assert_eq!(
        (nested.imports.clone(), nested.exports.clone()),
        (vec!["net".to_owned()], vec!["y:t".to_owned()])
    );
}

#[test]
fn a_schedule_is_cron_or_a_timestamp_or_nothing() {
    for (section, want) in [
        (":PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n", r#"{"cron":"0 9 * * *"}"#),
        (
            "SCHEDULED: <2026-06-11 Thu 09:30 +1d>\n",
            r#"{"at":"2026-06-11T09:30","repeat":"+1d","active":true}"#,
        ),
        (
            "SCHEDULED: <2026-06-11 Thu>\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n",
            r#"{"cron":"0 9 * * *"}"#,
        ),
        ("", "null"),
    ] {
        let plan = oql::tangle_plan(&format!("* W :workflow:\n{section}")).unwrap();
        assert_eq!(
            serde_json::to_string(&plan.worlds[0].schedule).unwrap(),
            want,
            "{section}"
        );
    }
}

#[test]
fn too_many_edges_are_an_error_and_not_a_flood() {
    let make = |arg: &str| format!("** x :component:\n#+begin_src js {arg}\n#+end_src\n").repeat(1_500);
    let org = "* W :workflow:\n".to_owned() + &make(":out a:t") + &make(":in a:t");
    assert_eq!(oql::tangle_plan(&org).unwrap_err().code, oql::Code::TooComplex);
}

#[test]
fn components_come_in_waves_and_knots_are_named() {
    let org = "\
* W :workflow:
** A :component:
#+begin_src js :out x:t
#+end_src
** In :workflow:
*** A :component:
#+begin_src js :in x:t :out y:t
#+end_src
*** P :component:
#+begin_src js :in q:t :out p:t
#+end_src
** Q :component:
#+begin_src js :in p:t :out q:t
#+end_src
** Behind :component:
#+begin_src js :in q:t
#+end_src
";
    let world = &oql::tangle_plan(org).unwrap().worlds[0];
    assert_eq!(world.waves, [["A"], ["A-2"]]);
    assert_eq!(world.cycles, [["P", "Q"]]);
    let nested = &world.workflows[0];
    assert_eq!(nested.waves, [["A-2"]]);
    assert!(nested.cycles.is_empty());
    assert_eq!(
        (nested.components[0].key.as_str(), nested.components[0].line),
        ("A-2", 6)
    );
}
