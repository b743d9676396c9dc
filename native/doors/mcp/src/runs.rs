//! Runs that this process started, and those that it only knows of.

use crate::past::{self, Stage};
use failure::Failure;
use failure::codes::NOT_FOUND;
use operations::Context;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How many runs are remembered; those that are over go first.
const MOST: usize = 256;
/// How often an engine is asked about a run that somebody else started.
const EVERY: Duration = Duration::from_millis(200);
/// How long a report waits for its verdict. A check has 30 seconds by default.
const VERDICT: Duration = Duration::from_secs(120);

/// How long an answer waits for the task that comes next.
const NEXT: Duration = Duration::from_secs(5);

/// The runs of this process.
#[derive(Default)]
pub(crate) struct Runs {
    known: Mutex<HashMap<String, Arc<Known>>>,
}

/// A run of this process.
pub(crate) struct Known {
    pub id: String,
    /// The plan that it is a run of.
    pub plan: PathBuf,
    /// When it began, for clients.
    pub created: String,
    pub standing: watch::Receiver<Standing>,
}

/// How a run stands, from its events.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    /// States of tasks that have one from an event, by id.
    pub tasks: BTreeMap<String, String>,
    /// The tasks that somebody has to do, rather than those that hold others.
    leaves: BTreeSet<String>,
    /// How many of them there are to do.
    pub total: usize,
    /// How many of them are over.
    pub finished: usize,
    /// The last thing that happened, in words.
    pub message: String,
    /// How it ended.
    pub outcome: Option<Result<Value, Failure>>,
}

impl Standing {
    fn hear(&mut self, event: &Value) {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        match event["event"].as_str().unwrap_or_default() {
            "run_started" => {
                let tasks = event["tasks"].as_array().map(Vec::as_slice).unwrap_or_default();
                let open = |task: &&Value| {
                    task["kind"] == "leaf" && (task["state"] == "waiting" || task["state"] == "running")
                };
                self.total = tasks.iter().filter(open).count();
                let leaves = tasks.iter().filter(|task| task["kind"] == "leaf");
                self.leaves = leaves
                    .filter_map(|task| task["id"].as_str().map(str::to_owned))
                    .collect();
                self.message = format!("{} tasks to do", self.total);
            }
            "task_started" => {
                self.tasks.insert(text("id"), "running".into());
                self.message = format!("started {}", text("title"));
            }
            "task_finished" => {
                self.tasks.insert(text("id"), text("state"));
                self.finished += usize::from(event["kind"] == "leaf");
                let why = event["reason"]
                    .as_str()
                    .map(|why| format!(": {why}"))
                    .unwrap_or_default();
                self.message = format!("{} {}{why}", text("state"), text("title"));
            }
            _ => {}
        }
    }

    /// Whether somebody can go on with something, or nobody has to.
    fn is_ready(&self) -> bool {
        let running = |(id, state): (&String, &String)| state == "running" && self.leaves.contains(id);
        self.outcome.is_some() || self.tasks.iter().any(running)
    }

    fn is_over(&self, task: &str) -> bool {
        self.tasks.get(task).is_some_and(|state| state != "running")
    }
}

impl Runs {
    /// Starts a run, and gives it back as soon as it has begun. It goes on whoever waits for it.
    pub async fn start(&self, mut context: Context, params: Value) -> Result<Arc<Known>, Failure> {
        let plan = PathBuf::from(params["plan"].as_str().unwrap_or_default());
        let (tell, standing) = watch::channel(Standing::default());
        let tell = Arc::new(tell);
        let (begun, begins) = oneshot::channel();
        let begun = Mutex::new(Some(begun));
        let hear = tell.clone();
        context.events = Arc::new(move |event| {
            hear.send_modify(|standing| standing.hear(&event));
            let id = event["run"].as_str().filter(|_| event["event"] == "run_started");
            if let (Some(id), Ok(mut begun)) = (id, begun.lock())
                && let Some(begun) = begun.take()
            {
                let _ = begun.send(id.to_owned());
            }
        });
        let context = Arc::new(context);
        let call = tokio::spawn(async move {
            let outcome = operations::call(context, "run.start", params).await;
            tell.send_modify(|standing| standing.outcome = Some(outcome));
        });
        let Ok(id) = begins.await else {
            // It was refused, and the refusal is the outcome.
            let _ = call.await;
            let outcome = standing.borrow().outcome.clone();
            return Err(match outcome {
                Some(Err(failure)) => failure,
                _ => Failure::internal("a run ended that never began"),
            });
        };
        let known = Arc::new(Known {
            id: id.clone(),
            plan,
            created: now(),
            standing,
        });
        if let Ok(mut all) = self.known.lock() {
            if all.len() >= MOST {
                all.retain(|_, known| known.standing.borrow().outcome.is_none());
            }
            all.insert(id, known.clone());
        }
        Ok(known)
    }

    pub fn get(&self, run: &str) -> Option<Arc<Known>> {
        self.known.lock().ok()?.get(run).cloned()
    }

    /// The runs that are remembered, in the order of their ids.
    pub fn list(&self) -> Vec<Arc<Known>> {
        let known = self.known.lock().map(|all| all.values().cloned().collect::<Vec<_>>());
        let mut list = known.unwrap_or_default();
        list.sort_by(|a, b| a.id.cmp(&b.id));
        list
    }
}

impl Known {
    /// Waits, but not long, until the next task is there for whoever does the work.
    pub async fn ready(&self) {
        let mut standing = self.standing.clone();
        let ready = standing.wait_for(Standing::is_ready);
        let _ = tokio::time::timeout(NEXT, ready).await;
    }
}

/// How a run stands: asked of its engine, or of its history when no engine has it.
pub(crate) async fn status(context: Arc<Context>, run: &str) -> Result<Value, Failure> {
    let found = past::find(&context, run)?;
    if let Some(found) = &found
        && past::stage(found) != Stage::Running
    {
        return Ok(past::standing(found));
    }
    match operations::call(context, "run.status", json!({"run": run})).await {
        // Another engine runs it.
        Err(failure) if failure.code.kind != failure::Kind::Other => match found {
            Some(found) => Ok(past::standing(&found)),
            None => Err(failure),
        },
        answer => answer,
    }
}

/// Waits until a run is over, or the time is.
pub(crate) async fn wait(
    known: Option<&Known>,
    contexts: impl Fn() -> Context,
    run: &str,
    most: Duration,
) -> Result<(), Failure> {
    let over = async {
        match known {
            Some(known) => {
                let mut standing = known.standing.clone();
                let _ = standing.wait_for(|standing| standing.outcome.is_some()).await;
                Ok(())
            }
            None => loop {
                let standing = status(Arc::new(contexts()), run).await?;
                if standing["state"] != "running" {
                    return Ok(());
                }
                tokio::time::sleep(EVERY).await;
            },
        }
    };
    tokio::time::timeout(most, over).await.unwrap_or(Ok(()))
}

/// Reports on a task, waits for the verdict, and gives it with what is open now.
pub(crate) async fn report(
    known: Option<&Known>,
    contexts: impl Fn() -> Context,
    params: Value,
) -> Result<Value, Failure> {
    let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    let (run, task) = (text("run"), text("task"));
    operations::call(Arc::new(contexts()), "run.report", params).await?;
    let verdict = async {
        match known {
            Some(known) => {
                let mut standing = known.standing.clone();
                let over = |standing: &Standing| standing.outcome.is_some() || standing.is_over(&task);
                let _ = standing.wait_for(over).await;
                known.ready().await;
            }
            None => {
                while let Ok(standing) = status(Arc::new(contexts()), &run).await {
                    let at_work = |listed: &Value| listed["id"] == *task && listed["state"] == "running";
                    if !standing["tasks"].as_array().is_some_and(|all| all.iter().any(at_work)) {
                        break;
                    }
                    tokio::time::sleep(EVERY).await;
                }
            }
        }
    };
    let _ = tokio::time::timeout(VERDICT, verdict).await;
    let mut standing = status(Arc::new(contexts()), &run).await?;
    if let Some(tasks) = standing["tasks"].as_array_mut() {
        let open = |listed: &Value| listed["state"] == "running" && listed["kind"] == "leaf";
        tasks.retain(|listed| listed["id"] == *task || open(listed));
    }
    Ok(standing)
}

/// Ends a run.
pub(crate) async fn cancel(context: Context, run: &str) -> Result<Value, Failure> {
    let context = Arc::new(context);
    match operations::call(context.clone(), "run.cancel", json!({"run": run})).await {
        Err(failure) if failure.code.kind == failure::Kind::NotFound => match past::find(&context, run)? {
            Some(found) if past::stage(&found) == Stage::Running => Err(Failure::new(
                NOT_FOUND,
                format!("run `{run}` is at work in another engine"),
                "cancel it there",
            )),
            // What is over needs no end.
            Some(_) => Ok(json!({})),
            None => Err(failure),
        },
        answer => answer,
    }
}

/// The time as clients write it.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// A time as clients write it.
pub(crate) fn moment(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .unwrap_or_default()
        .to_string()
}
