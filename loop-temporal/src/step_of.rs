//! Performs a step with the parts of any loop.

use std::sync::Arc;

use loop_core::{EvaluationContext, Evaluator, Iteration, IterationContext, Notes, Step, WorkResult};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Link, LoopError, Performed, StepAnswer, StepKind, StepLimits, StepRequest, perform};

/// Performs the requested step with the iteration or the evaluator of a loop.
///
/// # Errors
/// The output in the request has another type, or the loop has no evaluator.
pub async fn step_of<I: Iteration<Output: Serialize + DeserializeOwned>>(
    request: &StepRequest,
    iteration: &mut I,
    evaluator: Option<&mut (dyn Evaluator<I::Output> + 'static)>,
    limits: StepLimits,
    link: Arc<dyn Link>,
) -> Result<StepAnswer, LoopError> {
    let (step, work) = (&request.work, loop_core::Work::new());
    let output = step.output.clone().map(serde_json::from_value).transpose();
    let output: Option<Arc<I::Output>> = output.map_err(LoopError::new)?.map(Arc::new);
    match step.kind {
        StepKind::Iterate => {
            let cx = IterationContext::new(&work, step.iteration)
                .with_attempt(step.attempt)
                .with_left(limits.left)
                .with_guidance(step.guidance.clone())
                .with_last_output(output.clone());
            let earlier = output.filter(|_| step.has_previous_output);
            let cx =
                cx.with_previous(step.previous.clone().map(|record| Arc::new(Step::new(record, earlier))));
            let done = perform(&work, request.id, limits, link, iteration.run(cx)).await;
            answer(done, work.take_notes())
        }
        StepKind::Evaluate => {
            let output = output.ok_or_else(|| LoopError::new("the request has no output to judge"))?;
            let evaluator = evaluator.ok_or_else(|| LoopError::new("this loop has no evaluator"))?;
            let cx = EvaluationContext::new(&work, step.iteration, output).with_left(limits.left);
            let cx = cx.with_previous(step.previous.clone().map(|record| Arc::new(Step::new(record, None))));
            let done = perform(&work, request.id, limits, link, evaluator.evaluate(cx)).await;
            answer(done, work.take_notes())
        }
    }
}

/// Writes the end of a step as a message.
fn answer<T: Serialize>(done: Performed<T>, notes: Notes) -> Result<StepAnswer, LoopError> {
    let result = match done.result {
        WorkResult::Done(value) => WorkResult::Done(serde_json::to_value(value).map_err(LoopError::new)?),
        WorkResult::Failed(message) => WorkResult::Failed(message),
        WorkResult::Later { after } => WorkResult::Later { after },
        WorkResult::Halted(halt) => WorkResult::Halted(halt),
        other => WorkResult::Failed(format!("unknown result: {:?}", std::mem::discriminant(&other)).into()),
    };
    Ok(StepAnswer { result, notes, reports: done.reports, cut: done.cut, branch: None })
}

/// Changes all texts in a value, keys excluded.
pub(crate) fn change_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| change_texts(item, change)),
        Value::Object(entries) => entries.values_mut().for_each(|item| change_texts(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
