//! Runs blocking work off the executor's threads.
//!
//! Ending processes means reading `/proc` and waiting for processes to die. If forty loops end at once on an executor
//! with one thread, no other task would run until all of them are done.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    runtime::{Handle, Id},
    sync::oneshot,
};

/// Runs `work` on one of the runtime's blocking threads. The work is handed over with the call, and the future resolves
/// with its result. Without a runtime, the work runs on the current thread before this function returns.
///
/// The work always runs, even if nobody awaits the result:
///
/// - Dropping a runtime waits for work that has begun.
/// - A runtime that shuts down drops its workers that have not begun. Dropping a worker runs the work that waits.
/// - If no thread is available, the work runs on the current thread. Blocking the executor is better than leaving a
///   process alive.
///
/// The work is lost only if this process ends first, for example after `Runtime::shutdown_background`.
pub(crate) fn off_executor<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    let (tell, told) = oneshot::channel();
    let work: Work = Box::new(move || {
        // An error means that nobody awaits the result.
        let _ = tell.send(work());
    });
    match Handle::try_current() {
        Ok(runtime) => hand_over(&runtime, work),
        Err(_) => work(),
    }
    async move { told.await.unwrap_or_else(|_| panic!("work off the executor panicked")) }
}

type Work = Box<dyn FnOnce() + Send>;

/// The work that waits for a blocking thread, by its runtime: dropping a runtime must wait for its own work.
static QUEUES: LazyLock<Mutex<HashMap<Id, Queue>>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    /// Whether a worker was handed over to the runtime and has not begun.
    worker_is_due: bool,
}

fn queues() -> MutexGuard<'static, HashMap<Id, Queue>> {
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Queues the work for a worker.
///
/// Starting a thread takes longer than everything else here. So an executor that hands over the work of many loops at
/// once starts one worker, and each worker starts the next one.
fn hand_over(runtime: &Handle, work: Work) {
    let mut queues = queues();
    let queue = queues.entry(runtime.id()).or_default();
    queue.waiting.push_back(work);
    let needs_worker = queue.needs_worker();
    drop(queues);
    if needs_worker {
        start_worker(runtime);
    }
}

fn start_worker(runtime: &Handle) {
    let worker = Worker { runtime: runtime.clone(), has_thread: false };
    // Tokio panics if it has no thread and cannot start one, which an agent can cause. The worker is dropped then.
    let start = || drop(runtime.spawn_blocking(move || worker.begin()));
    let _ = catch_unwind(AssertUnwindSafe(start));
}

/// Runs the work. A panic has reached the panic hook, and whoever awaits the result panics as well.
fn run(work: Work) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}

impl Queue {
    /// Returns true if the caller has to start a worker.
    fn needs_worker(&mut self) -> bool {
        let needs_worker = !self.waiting.is_empty() && !self.worker_is_due;
        self.worker_is_due |= needs_worker;
        needs_worker
    }
}

/// Runs the work that waits when it is dropped: at its end on a blocking thread, or because it got none.
struct Worker {
    runtime: Handle,
    has_thread: bool,
}

impl Worker {
    fn begin(mut self) {
        self.has_thread = true;
    }

    /// Returns the next work, and whether another worker has to be started for the work behind it, because this work
    /// may take seconds.
    fn next(&self) -> Option<(Work, bool)> {
        let mut queues = queues();
        let queue = queues.get_mut(&self.runtime.id())?;
        let Some(work) = queue.waiting.pop_front() else {
            if !queue.worker_is_due {
                queues.remove(&self.runtime.id());
            }
            return None;
        };
        Some((work, self.has_thread && queue.needs_worker()))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(queue) = queues().get_mut(&self.runtime.id()) {
            queue.worker_is_due = false;
        }
        while let Some((work, needs_worker)) = self.next() {
            if needs_worker {
                start_worker(&self.runtime);
            }
            run(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use tokio::runtime::{Builder, Runtime};

    use super::*;

    /// A generous limit that only turns a hang into a failure.
    const SOON: Duration = Duration::from_secs(20);

    /// Returns a runtime with this many blocking threads, which are busy until their senders are dropped.
    fn busy_runtime(threads: usize) -> (Runtime, Vec<mpsc::Sender<()>>) {
        let runtime = Builder::new_current_thread().max_blocking_threads(threads).build().unwrap();
        let keep_busy = |_| {
            let (release, released) = mpsc::channel::<()>();
            let (tell, told) = mpsc::channel();
            drop(runtime.spawn_blocking(move || {
                tell.send(()).unwrap();
                released.recv()
            }));
            told.recv().unwrap();
            release
        };
        let release = (0..threads).map(keep_busy).collect();
        (runtime, release)
    }

    #[test]
    fn the_executor_goes_on_while_the_work_waits() {
        let (runtime, release) = busy_runtime(1);
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
        let (runtime, release) = busy_runtime(1);
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
    fn one_worker_does_the_work_that_an_executor_hands_over_at_once() {
        let (runtime, release) = busy_runtime(1);
        let (tell, told) = mpsc::channel();
        let guard = runtime.enter();
        for number in [1, 2] {
            let tell = tell.clone();
            let say = move |number| tell.send((number, thread::current().id())).unwrap();
            let other = say.clone();
            drop(off_executor(move || say(number)));
            // This would run between the two if each of them had a worker.
            drop(runtime.spawn_blocking(move || other(3)));
        }
        drop(guard);
        drop((release, tell));
        let said: Vec<_> = told.iter().collect();
        assert_eq!(said.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 3]);
        assert!(said.iter().all(|(_, thread)| *thread != thread::current().id()));
    }

    #[test]
    fn work_that_takes_long_does_not_hold_up_the_work_behind_it() {
        let (runtime, release) = busy_runtime(2);
        let (tell, told) = mpsc::channel();
        let worked = runtime.block_on(async {
            let first = off_executor(move || told.recv_timeout(SOON));
            let second = off_executor(move || tell.send(7).unwrap());
            drop(release);
            second.await;
            first.await
        });
        assert_eq!(worked, Ok(7));
    }

    #[test]
    fn work_that_panics_does_not_lose_the_work_behind_it() {
        let (runtime, release) = busy_runtime(1);
        let (tell, told) = mpsc::channel();
        let guard = runtime.enter();
        drop(off_executor(|| panic!("this panic is part of the test")));
        drop(off_executor(move || tell.send(()).unwrap()));
        drop(guard);
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
