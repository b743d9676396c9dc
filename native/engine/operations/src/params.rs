//! What is sent becomes a type, or a failure that points at the field.

use failure::Failure;
use failure::codes::BAD_OPTION;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

const HINT: &str = "docs/reference/operations.md lists the fields of each operation";

/// Parameters as their type. Nothing at all counts as no parameters; fields that nobody knows are refused.
///
/// ```
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Params {
///     tasks: Vec<u8>,
/// }
/// let refused = operations::read::<Params>(serde_json::json!({"tasks": [1, "two"]})).unwrap_err();
/// assert_eq!(refused.pointer.as_deref(), Some("/tasks/1"));
/// let refused = operations::read::<Params>(serde_json::json!({"tasks": [], "more": 1})).unwrap_err();
/// assert_eq!(refused.pointer.as_deref(), Some("/more"));
/// ```
pub fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    let params = if params.is_null() {
        Value::Object(Default::default())
    } else {
        params
    };
    serde_path_to_error::deserialize(&params).map_err(|error| {
        let pointer = pointer(error.path());
        let message = match pointer.as_str() {
            "" => format!("the parameters cannot be read: {}", error.inner()),
            at => format!("the parameter {at} cannot be read: {}", error.inner()),
        };
        Failure::new(BAD_OPTION, message, HINT).at(pointer)
    })
}

/// Parameters of an operation: an object, or nothing at all. (A list would be taken for the fields in their order.)
pub(crate) fn object<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    match params {
        Value::Object(_) | Value::Null => read(params),
        _ => Err(Failure::new(BAD_OPTION, "parameters are an object", HINT).at("")),
    }
}

/// Whether what the engine sent is of its type. If it is not, that is a mistake of ours, and the field is named.
pub(crate) fn sound<T: DeserializeOwned>(what: &str, sent: &Value) -> Result<(), Failure> {
    serde_path_to_error::deserialize::<_, T>(sent)
        .map(drop)
        .map_err(|error| {
            let pointer = pointer(error.path());
            Failure::internal(format!(
                "the engine sent an {what} that cannot be read at `{pointer}`: {}",
                error.inner()
            ))
            .at(pointer)
        })
}

/// RFC 6901.
pub(crate) fn pointer(path: &Path) -> String {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } => Some(format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
            // A variant is told by a field that the path has already.
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}
