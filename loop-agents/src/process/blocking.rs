//! Work that blocks its thread, kept off the executor's threads.
//!
//! Ending processes means reading `/proc` and waiting for deaths. Forty loops that end at once, on an executor with one
//! thread, would keep every other task from its turn until all of that is done.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{runtime::Handle, sync::oneshot};

/// Runs `work` on one of the runtime's threads for blocking work, from the call on; the future resolves with the
/// result. Without a runtime it runs here, before this function returns.
///
/// The work always runs, also if nobody awaits the result:
///
/// - Dropping a runtime waits for work that has begun.
/// - A runtime that shuts down drops work that has not begun, and the work runs as it is dropped.
/// - If no thread can be had, the work runs here. A held up executor is better than a living process.
///
/// Only the end of this process comes before it, such as after `Runtime::shutdown_background`.
pub(super) fn off_executor<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    let (tell, told) = oneshot::channel();
    let work: Work = Box::new(move || {
        // An error means that nobody awaits the result.
        let _ = tell.send(work());
    });
    let pending = Arc::new(Mutex::new(Some(work)));
    let handed = RunOnDrop(Arc::clone(&pending));
    // Tokio panics if it has no thread and can start none, which an agent can bring about. Without a runtime `handed`
    // is dropped here.
    let spawn = |runtime: Handle| {
        catch_unwind(AssertUnwindSafe(|| drop(runtime.spawn_blocking(move || drop(handed))))).is_ok()
    };
    if !Handle::try_current().is_ok_and(spawn) {
        drop(RunOnDrop(pending));
    }
    async move { told.await.unwrap_or_else(|_| panic!("work off the executor panicked")) }
}

type Work = Box<dyn FnOnce() + Send>;

/// Runs the work when it is dropped, unless another one has.
struct RunOnDrop(Arc<Mutex<Option<Work>>>);

impl Drop for RunOnDrop {
    fn drop(&mut self) {
        let work = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            work();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::runtime::{Builder, Runtime};

    use super::*;

    /// A runtime whose only thread for blocking work is taken, until the sender is dropped.
    fn busy_runtime() -> (Runtime, mpsc::Sender<()>) {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let (release, released) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        drop(runtime.spawn_blocking(move || {
            tell.send(()).unwrap();
            released.recv()
        }));
        told.recv().unwrap();
        (runtime, release)
    }

    #[test]
    fn the_executor_goes_on_while_the_work_waits() {
        let (runtime, release) = busy_runtime();
        let worked = runtime.block_on(async {
            let working = tokio::spawn(off_executor(|| 7));
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert!(!working.is_finished());
            drop(release);
            working.await.unwrap()
        });
        assert_eq!(worked, 7);
    }

    #[test]
    fn work_that_nobody_awaits_runs_before_its_runtime_is_gone() {
        let (runtime, release) = busy_runtime();
        let (tell, told) = mpsc::channel();
        let guard = runtime.enter();
        drop(off_executor(move || tell.send(()).unwrap()));
        drop(guard);
        assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Empty));
        drop(release);
        drop(runtime);
        assert_eq!(told.try_recv(), Ok(()));
    }

    #[test]
    fn work_for_a_runtime_that_is_gone_runs_here() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let handle = runtime.handle().clone();
        runtime.shutdown_background();
        let _guard = handle.enter();
        let (tell, told) = mpsc::channel();
        drop(off_executor(move || tell.send(()).unwrap()));
        assert_eq!(told.try_recv(), Ok(()));
    }

    #[test]
    fn without_a_runtime_the_work_runs_here() {
        let (tell, told) = mpsc::channel();
        drop(off_executor(move || tell.send(()).unwrap()));
        assert_eq!(told.try_recv(), Ok(()));
    }
}
