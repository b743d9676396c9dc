//! The text of a step, put together once, when the workflow is compiled.

use super::bind::Bindings;
use super::builtin::{REFS, find};
use super::compiled::{Delegation, RefUse};
use super::json::{DelegationJson, PromptBlocksJson, PromptPartJson, PromptValueJson, StepJson};
use super::{CompileError, Contract};
use crate::Digest;

/// The longest text that one step may carry.
const MAX_PROMPT: usize = 64 * 1024;

pub(crate) struct Prompt {
    pub text: String,
    pub refs: Vec<RefUse>,
}

/// Role, prompt, blocks, guidance and features, each a paragraph.
pub(crate) fn compose(step: &StepJson, features: &[&str], bindings: &Bindings) -> Result<Prompt, CompileError> {
    let mut writer = Writer {
        parts: Vec::new(),
        refs: Vec::new(),
    };
    writer.paragraph(step.agent_role.as_deref());
    writer.paragraph(step.prompt.as_deref());
    let none = PromptBlocksJson::default();
    let blocks = step.prompt_blocks.as_ref().unwrap_or(&none);
    if let Some(goal) = &blocks.goal {
        let goal = writer.value(goal)?;
        writer.paragraph(Some(&goal));
    }
    let mut constraints = writer.values(&blocks.constraints)?;
    constraints.extend(features.iter().map(|f| (*f).to_owned()));
    writer.list("Constraints", "-", &constraints);
    let procedure = writer.values(&blocks.procedure)?;
    writer.list("Procedure", "1", &procedure);
    let outputs: Vec<String> = blocks
        .output_required
        .iter()
        .map(|(name, what)| format!("{name}: {what}"))
        .collect();
    writer.list("Output", "-", &outputs);
    let verify = writer.values(&blocks.verify)?;
    writer.list("Verify", "-", &verify);
    writer.list("Guidance", "-", &step.guidance);
    if let Some(expected) = step.expected_output.as_ref() {
        let expected = expected.as_str().map_or_else(|| expected.to_string(), str::to_owned);
        writer.paragraph(Some(&format!("Expected output: {expected}")));
    }
    writer.paragraph(step.verification.as_ref().and_then(|v| v.prompt.as_deref()));
    if let Some(audit) = &step.audit {
        writer.paragraph(audit.prompt.as_deref());
        writer.list("Rubric", "-", &audit.rubric);
    }
    writer.paragraph(step.synthesis.as_ref().and_then(|s| s.prompt.as_deref()));
    let text = bindings.fill(&writer.parts.join("\n\n"))?;
    if text.len() > MAX_PROMPT {
        let message = format!("the prompt has {} bytes and may have {MAX_PROMPT}", text.len());
        return Err(CompileError::new(
            message,
            "split the step, or move text into a document that it refers to",
        ));
    }
    Ok(Prompt {
        text,
        refs: writer.refs,
    })
}

/// What is handed to another agent, in words.
pub(crate) fn delegation(delegation: &DelegationJson, bindings: &Bindings) -> Result<Delegation, CompileError> {
    let mut brief: Vec<String> = delegation.goal.iter().cloned().collect();
    brief.extend(delegation.args.iter().map(|(name, value)| format!("{name}: {value}")));
    brief.extend(
        delegation
            .context_mapping
            .iter()
            .map(|(name, from)| format!("{name}: {{{{{from}}}}}")),
    );
    if !delegation.allowed_tools.is_empty() {
        brief.push(format!("tools: {}", delegation.allowed_tools.join(", ")));
    }
    Ok(Delegation {
        workflow_id: delegation.workflow_id.clone(),
        brief: bindings.fill(&brief.join("\n"))?,
        when: delegation.run_condition.clone(),
    })
}

/// What a probe of a capability asks for.
pub(crate) fn probe(capability: &str) -> String {
    let contract = Contract::find("wb.contracts.capability_probe").map_or("", |c| c.kind);
    format!(
        "This workflow requires {capability}. Try it now with one small call, and report what came back as a {contract} \
         artifact. A claim without a try does not count."
    )
}

struct Writer {
    parts: Vec<String>,
    refs: Vec<RefUse>,
}

impl Writer {
    fn paragraph(&mut self, text: Option<&str>) {
        self.parts
            .extend(text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned));
    }

    fn list(&mut self, title: &str, mark: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let line = |(i, item): (usize, &String)| match mark {
            "1" => format!("{}. {}", i + 1, item.trim()),
            _ => format!("- {}", item.trim()),
        };
        let lines: Vec<String> = items.iter().enumerate().map(line).collect();
        self.parts.push(format!("{title}:\n{}", lines.join("\n")));
    }

    fn values(&mut self, values: &[PromptValueJson]) -> Result<Vec<String>, CompileError> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn value(&mut self, value: &PromptValueJson) -> Result<String, CompileError> {
        match value {
            PromptValueJson::Text(text) => Ok(text.clone()),
            PromptValueJson::Parts(parts) => parts.iter().map(|part| self.part(part)).collect(),
        }
    }

    fn part(&mut self, part: &PromptPartJson) -> Result<String, CompileError> {
        match part {
            PromptPartJson::Text { text } => Ok(text.clone()),
            PromptPartJson::Ref { ref_id } => {
                let text = find(REFS, ref_id).ok_or_else(|| {
                    CompileError::new(
                        format!("there is no reference `{ref_id}`"),
                        "use one that docs/sessions.md lists",
                    )
                })?;
                let sha256 = Digest::of(text.as_bytes());
                self.refs.push(RefUse {
                    ref_id: ref_id.clone(),
                    sha256,
                    bytes: text.len() as u64,
                });
                Ok(text.to_owned())
            }
        }
    }
}
