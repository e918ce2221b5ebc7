//! Work on all cores, the answers in the order of the questions, in bounded memory.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Questions go to the workers in bundles of so many.
const BUNDLE: usize = 16;

/// Answers every job on one of `threads` workers and hands the answers, in the order of the jobs, to `sink`, which stops all
/// by an error.
///
/// At most three bundles of jobs and three of answers are held for each worker.
pub(crate) fn in_order<J: Send, R: Send, E>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(J) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let (mut workers, mut lanes) = (Vec::new(), Vec::new());
        for _ in 0..threads.max(1) {
            let (to_worker, questions) = sync_channel::<Vec<J>>(2);
            let (to_sink, answers) = sync_channel::<Vec<R>>(2);
            let work = &work;
            scope.spawn(move || answer(&questions, &to_sink, work));
            workers.push(to_worker);
            lanes.push(answers);
        }
        scope.spawn(move || deal(jobs, &workers));
        // Bundle after bundle in the order in which they were dealt. A lane that has ended ends all: it is the one whose
        // turn it is.
        for lane in lanes.iter().cycle() {
            let Ok(answers) = lane.recv() else {
                return Ok(());
            };
            for answer in answers {
                sink(answer)?;
            }
        }
        Ok(())
    })
}

fn deal<J>(mut jobs: impl Iterator<Item = J>, workers: &[SyncSender<Vec<J>>]) {
    for worker in workers.iter().cycle() {
        let bundle: Vec<J> = jobs.by_ref().take(BUNDLE).collect();
        // A worker that is gone says that nobody waits for answers any more.
        if bundle.is_empty() || worker.send(bundle).is_err() {
            return;
        }
    }
}

fn answer<J, R>(questions: &Receiver<Vec<J>>, answers: &SyncSender<Vec<R>>, work: impl Fn(J) -> R) {
    while let Ok(bundle) = questions.recv() {
        if answers
            .send(bundle.into_iter().map(&work).collect())
            .is_err()
        {
            return;
        }
    }
}
