//! What a profile grants, as the Dock sees it.

/// A capability that opens something in the sandbox. Profiles name others as well; they bind nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in the policy table")]
pub enum Capability {
    Vfs,
    Commands,
    Llm,
    Browse,
    Parallel,
    Net,
    Tcp,
    Udp,
}

impl Capability {
    const ALL: [Capability; 8] = [
        Capability::Vfs,
        Capability::Commands,
        Capability::Llm,
        Capability::Browse,
        Capability::Parallel,
        Capability::Net,
        Capability::Tcp,
        Capability::Udp,
    ];

    /// The name in the policy table.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Vfs => "vfs",
            Capability::Commands => "commands",
            Capability::Llm => "llm",
            Capability::Browse => "browse",
            Capability::Parallel => "parallel",
            Capability::Net => "net",
            Capability::Tcp => "tcp",
            Capability::Udp => "udp",
        }
    }
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Grant(u16);

impl Grant {
    /// Reads capability names. A name that opens nothing here is passed over: unknown never means more.
    ///
    /// ```
    /// use host::{Capability, Grant};
    /// let grant = Grant::of(["vfs", "kv", "teleport"]);
    /// assert!(grant.has(Capability::Vfs) && !grant.has(Capability::Llm));
    /// ```
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Grant {
        let known = |name: &str| Capability::ALL.into_iter().find(|c| c.name() == name);
        Grant(names.into_iter().filter_map(known).fold(0, |set, c| set | bit(c)))
    }

    /// Whether `capability` is granted.
    pub fn has(self, capability: Capability) -> bool {
        self.0 & bit(capability) != 0
    }

    /// Whether the web may be reached: names looked up, pages fetched.
    pub fn web(self) -> bool {
        self.has(Capability::Net) || self.has(Capability::Browse)
    }

    /// Whether `import` is open under this grant.
    pub fn opens(self, import: DockImport) -> bool {
        import.capability().is_none_or(|c| self.has(c))
    }
}

fn bit(capability: Capability) -> u16 {
    1 << capability as u16
}

/// A function of the Dock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "wit/engine.wit says what each one does")]
pub enum DockImport {
    SessionInfo,
    VfsQuery,
    RunCommand,
    LlmComplete,
    BrowseFetch,
    RunCommandMany,
}

impl DockImport {
    /// Every function of the Dock.
    pub const ALL: [DockImport; 6] = [
        DockImport::SessionInfo,
        DockImport::VfsQuery,
        DockImport::RunCommand,
        DockImport::LlmComplete,
        DockImport::BrowseFetch,
        DockImport::RunCommandMany,
    ];

    /// The name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            DockImport::SessionInfo => "session-info",
            DockImport::VfsQuery => "vfs-query",
            DockImport::RunCommand => "run-command",
            DockImport::LlmComplete => "llm-complete",
            DockImport::BrowseFetch => "browse-fetch",
            DockImport::RunCommandMany => "run-command-many",
        }
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<DockImport> {
        DockImport::ALL.into_iter().find(|import| import.name() == name)
    }

    /// The capability it stands behind; `None` is always open.
    pub fn capability(self) -> Option<Capability> {
        match self {
            DockImport::SessionInfo => None,
            DockImport::VfsQuery => Some(Capability::Vfs),
            DockImport::RunCommand => Some(Capability::Commands),
            DockImport::LlmComplete => Some(Capability::Llm),
            DockImport::BrowseFetch => Some(Capability::Browse),
            DockImport::RunCommandMany => Some(Capability::Parallel),
        }
    }
}
