//! Iterations that are functions.

use std::{fmt, future::Future, marker::PhantomData};

use async_trait::async_trait;

use crate::{Iteration, IterationContext, IterationError};

/// Creates an iteration from an async function of the context. For state that lasts from one iteration to the next,
/// use [`iteration_with`].
///
/// ```
/// use loop_core::{IterationContext, iteration_fn};
/// let counter = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
/// ```
pub fn iteration_fn<F, Fut, O>(run: F) -> IterationFn<F, O>
where
    F: FnMut(IterationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<O, IterationError>> + Send,
    O: Send + Sync + 'static,
{
    IterationFn { run, output: PhantomData }
}

/// The iteration that [`iteration_fn`] returns.
#[derive(Clone)]
pub struct IterationFn<F, O> {
    run: F,
    output: PhantomData<fn() -> O>,
}

impl<F, O> fmt::Debug for IterationFn<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IterationFn")
    }
}

#[async_trait]
impl<F, Fut, O> Iteration for IterationFn<F, O>
where
    F: FnMut(IterationContext<O>) -> Fut + Send,
    Fut: Future<Output = Result<O, IterationError>> + Send,
    O: Send + Sync + 'static,
{
    type Output = O;
    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        (self.run)(cx).await
    }
}

/// Creates an iteration from some state and an async function of the state and the context. Put everything that the
/// function keeps or uses into the state.
///
/// ```
/// use loop_core::{IterationContext, iteration_with};
/// let agent = iteration_with(Vec::new(), async |seen: &mut Vec<u64>, cx: IterationContext<usize>| {
///     seen.push(cx.iteration());
///     Ok(seen.len())
/// });
/// ```
pub const fn iteration_with<T, F, O>(state: T, run: F) -> IterationWith<T, F, O>
where
    T: Send,
    F: for<'a> StatefulFn<'a, T, O> + Send,
    O: Send + Sync + 'static,
{
    IterationWith { state, run, output: PhantomData }
}

/// The iteration that [`iteration_with`] returns.
#[derive(Clone)]
pub struct IterationWith<T, F, O> {
    state: T,
    run: F,
    output: PhantomData<fn() -> O>,
}

impl<T: fmt::Debug, F, O> fmt::Debug for IterationWith<T, F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterationWith").field("state", &self.state).finish_non_exhaustive()
    }
}

/// An async function of a state and a context. Every such function implements this trait.
#[diagnostic::on_unimplemented(
    message = "this is not an iteration over a state",
    label = "expected `async |state: &mut State, cx: IterationContext<Output>| ...`",
    note = "the closure can capture nothing: put what it uses into the state"
)]
pub trait StatefulFn<'a, T: 'a, O>: FnMut(&'a mut T, IterationContext<O>) -> Self::Future {
    /// The future that it returns.
    type Future: Future<Output = Result<O, IterationError>> + Send + 'a;
}

impl<'a, T, O, F, Fut> StatefulFn<'a, T, O> for F
where
    T: 'a,
    F: FnMut(&'a mut T, IterationContext<O>) -> Fut,
    Fut: Future<Output = Result<O, IterationError>> + Send + 'a,
{
    type Future = Fut;
}

#[async_trait]
impl<T, F, O> Iteration for IterationWith<T, F, O>
where
    T: Send,
    F: for<'a> StatefulFn<'a, T, O> + Send,
    O: Send + Sync + 'static,
{
    type Output = O;
    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        (self.run)(&mut self.state, cx).await
    }
}
