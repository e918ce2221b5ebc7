//! [`run`]: tasks done by many threads, their answers taken in the order of the input.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::tasks::{Task, Tasks};

/// How many tasks travel together, and how many bytes of them at most.
const CHUNK: usize = 64;
const CHUNK_BYTES: usize = 1 << 20;

/// How many bytes of tasks are under way for each thread, at most; a single larger task travels alone.
const UNDER_WAY: usize = 4 << 20;

/// Does every task: `work` on any of `threads` threads, `take` on this one, in the order of the input.
///
/// # Errors
/// The first error of `take`; the rest of the input is then not read.
pub fn run<T: Send, E>(
    tasks: &mut Tasks<'_>,
    threads: usize,
    work: impl Fn(&Task) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    if threads < 2 {
        while let Some(task) = tasks.next() {
            take(work(&task))?;
            tasks.recycle(task);
        }
        return Ok(());
    }
    let under_way = 4 * threads;
    let (chunks_in, chunks_out) = sync_channel::<(usize, usize, Vec<Task>)>(under_way);
    let (done_in, done_out) = sync_channel::<(usize, usize, Vec<T>)>(under_way);
    let chunks_out = Mutex::new(chunks_out);
    let budget = Budget::new(UNDER_WAY * threads);
    std::thread::scope(|scope| {
        let (budget, chunks_out, work) = (&budget, &chunks_out, &work);
        scope.spawn(move || read_chunks(tasks, &chunks_in, budget));
        for _ in 0..threads {
            let done_in = done_in.clone();
            scope.spawn(move || {
                while let Some((n, size, chunk)) = next(chunks_out) {
                    let done = chunk.iter().map(work).collect();
                    drop(chunk);
                    if done_in.send((n, size, done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done_in);
        let result = take_in_order(done_out, budget, &mut take);
        if result.is_err() {
            budget.close();
            while next(chunks_out).is_some() {}
        }
        result
    })
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

fn read_chunks(
    tasks: &mut Tasks<'_>,
    chunks: &SyncSender<(usize, usize, Vec<Task>)>,
    budget: &Budget,
) {
    let (mut n, mut chunk, mut size) = (0, Vec::new(), 0);
    let mut send = |chunk: Vec<Task>, size: usize| {
        n += 1;
        budget.acquire(size) && chunks.send((n - 1, size, chunk)).is_ok()
    };
    for task in tasks {
        size += task.size();
        chunk.push(task);
        if chunk.len() >= CHUNK || size >= CHUNK_BYTES {
            if !send(std::mem::take(&mut chunk), size) {
                return;
            }
            size = 0;
        }
    }
    send(chunk, size);
}

/// Takes the receiver for itself: when it gives up, dropping it stops the workers.
fn take_in_order<T, E>(
    done: Receiver<(usize, usize, Vec<T>)>,
    budget: &Budget,
    take: &mut impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (n, size, answers) in done {
        waiting.insert(n, (size, answers));
        while let Some((size, answers)) = waiting.remove(&next) {
            next += 1;
            for answer in answers {
                take(answer)?;
            }
            budget.release(size);
        }
    }
    Ok(())
}

/// A number of bytes that may be under way. The chunk that is due next is always among them, because
/// chunks ask in their order: nobody waits for ever.
struct Budget {
    limit: usize,
    /// Bytes and chunks under way; `None` once nobody takes answers any more.
    taken: Mutex<Option<(usize, usize)>>,
    freed: Condvar,
}

impl Budget {
    fn new(limit: usize) -> Budget {
        Budget {
            limit,
            taken: Mutex::new(Some((0, 0))),
            freed: Condvar::new(),
        }
    }

    /// Waits for room; false once it is closed.
    fn acquire(&self, size: usize) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some((bytes, chunks)) = taken.as_mut() else {
                return false;
            };
            if *chunks == 0 || *bytes + size <= self.limit {
                *bytes += size;
                *chunks += 1;
                return true;
            }
            taken = self
                .freed
                .wait(taken)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn release(&self, size: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((bytes, chunks)) = taken.as_mut() {
            *bytes = bytes.saturating_sub(size);
            *chunks = chunks.saturating_sub(1);
        }
        self.freed.notify_all();
    }

    fn close(&self) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.freed.notify_all();
    }
}
