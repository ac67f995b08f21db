//! Runs blocking work off the executor's threads.
//!
//! Ending processes means reading `/proc` and waiting for processes to die. If forty loops end at once on an executor
//! with one thread, no other task would run until all of them are done.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{runtime::Handle, sync::oneshot};

/// Runs `work` on one of the runtime's blocking threads. The work starts with the call, and the future resolves with
/// its result. Without a runtime, the work runs on the current thread before this function returns.
///
/// The work always runs, even if nobody awaits the result:
///
/// - Dropping a runtime waits for work that has begun.
/// - A runtime that shuts down drops work that has not begun. Dropping it runs it.
/// - If no thread is available, the work runs on the current thread. Blocking the executor is better than leaving a
///   process alive.
///
/// The work is lost only if this process ends first, for example after `Runtime::shutdown_background`.
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
    // Tokio panics if it has no thread and cannot start one, which an agent can cause. Without a runtime, `handed` is
    // dropped here.
    let spawn = |runtime: Handle| {
        catch_unwind(AssertUnwindSafe(|| drop(runtime.spawn_blocking(move || drop(handed))))).is_ok()
    };
    if !Handle::try_current().is_ok_and(spawn) {
        drop(RunOnDrop(pending));
    }
    async move { told.await.unwrap_or_else(|_| panic!("work off the executor panicked")) }
}

type Work = Box<dyn FnOnce() + Send>;

/// Runs the work when dropped, unless another clone has already run it.
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

    /// Returns a runtime whose only blocking thread is busy until the sender is dropped.
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
