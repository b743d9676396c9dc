//! The options of bash's `shopt`.

/// Which are on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shopt(u64);

/// The options that do something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opt {
    DotGlob,
    ExpandAliases,
    ExtGlob,
    FailGlob,
    GlobStar,
    InheritErrExit,
    LastPipe,
    NoCaseGlob,
    NoCaseMatch,
    NullGlob,
    XpgEcho,
    PatSubReplacement,
}

/// Every name, what it does, whether it is on at first, and whether it can be changed.
const ALL: &[(&str, Option<Opt>, bool, bool)] = &[
    ("assoc_expand_once", None, false, true),
    ("autocd", None, false, false),
    ("cdable_vars", None, false, false),
    ("cdspell", None, false, true),
    ("checkhash", None, false, true),
    ("checkjobs", None, false, true),
    ("checkwinsize", None, true, true),
    ("cmdhist", None, true, true),
    ("complete_fullquote", None, true, true),
    ("direxpand", None, false, true),
    ("dirspell", None, false, true),
    ("dotglob", Some(Opt::DotGlob), false, true),
    ("execfail", None, false, false),
    ("expand_aliases", Some(Opt::ExpandAliases), false, true),
    ("extdebug", None, false, false),
    ("extglob", Some(Opt::ExtGlob), true, true),
    ("extquote", None, true, false),
    ("failglob", Some(Opt::FailGlob), false, true),
    ("force_fignore", None, true, true),
    ("globasciiranges", None, true, false),
    ("globskipdots", None, true, false),
    ("globstar", Some(Opt::GlobStar), false, true),
    ("gnu_errfmt", None, false, true),
    ("histappend", None, false, true),
    ("histreedit", None, false, true),
    ("histverify", None, false, true),
    ("hostcomplete", None, true, true),
    ("huponexit", None, false, true),
    ("inherit_errexit", Some(Opt::InheritErrExit), false, true),
    ("interactive_comments", None, true, false),
    ("lastpipe", Some(Opt::LastPipe), false, true),
    ("lithist", None, false, true),
    ("localvar_inherit", None, false, false),
    ("localvar_unset", None, false, false),
    ("login_shell", None, false, false),
    ("mailwarn", None, false, true),
    ("no_empty_cmd_completion", None, false, true),
    ("nocaseglob", Some(Opt::NoCaseGlob), false, true),
    ("nocasematch", Some(Opt::NoCaseMatch), false, true),
    ("nullglob", Some(Opt::NullGlob), false, true),
    ("patsub_replacement", Some(Opt::PatSubReplacement), true, true),
    ("progcomp", None, true, true),
    ("progcomp_alias", None, false, true),
    ("promptvars", None, true, true),
    ("restricted_shell", None, false, false),
    ("shift_verbose", None, false, true),
    ("sourcepath", None, true, false),
    ("xpg_echo", Some(Opt::XpgEcho), false, true),
];

impl Default for Shopt {
    fn default() -> Shopt {
        let on = ALL.iter().enumerate().filter(|(_, row)| row.2);
        Shopt(on.fold(0, |bits, (at, _)| bits | 1 << at))
    }
}

/// Why an option was not changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unchanged {
    Unknown,
    Unsupported,
}

impl Shopt {
    pub fn is(self, opt: Opt) -> bool {
        let at = ALL.iter().position(|row| row.1 == Some(opt));
        at.is_some_and(|at| self.0 & 1 << at != 0)
    }

    /// Whether the option of this name is on, if there is one.
    pub fn named(self, name: &[u8]) -> Option<bool> {
        let at = ALL.iter().position(|row| row.0.as_bytes() == name)?;
        Some(self.0 & 1 << at != 0)
    }

    /// Turns one on or off. One that would change what a script means, and cannot here, is refused.
    pub fn set(&mut self, name: &[u8], on: bool) -> Result<(), Unchanged> {
        let at = ALL.iter().position(|row| row.0.as_bytes() == name);
        let at = at.ok_or(Unchanged::Unknown)?;
        let is = self.0 & 1 << at != 0;
        if is != on && !ALL[at].3 {
            return Err(Unchanged::Unsupported);
        }
        self.0 = if on { self.0 | 1 << at } else { self.0 & !(1 << at) };
        Ok(())
    }

    /// Those that are on.
    pub fn names(self) -> Vec<&'static str> {
        self.all().filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }

    pub fn all(self) -> impl Iterator<Item = (&'static str, bool)> {
        ALL.iter()
            .enumerate()
            .map(move |(at, row)| (row.0, self.0 & 1 << at != 0))
    }
}
