//! The JSON schema of cases, for editors.

use schemars::schema_for;

use crate::case_file::CaseFile;

/// Returns the JSON schema of a case, for editors.
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(&loop_assay::case_schema())?;
/// assert_eq!(schema["additionalProperties"], false);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn case_schema() -> String {
    let mut schema = schema_for!(CaseFile);
    schema.insert("title".to_owned(), "A case of loop assay".into());
    let forms = ["prompt", "manifest"].map(|key| serde_json::json!({ "required": [key] }));
    schema.insert("oneOf".to_owned(), forms.to_vec().into());
    format!("{:#}", schema.as_value())
}
