//! Any document in any chunks: the same as whole.

use crate::{context_and_document, hostile, laws};

/// The target. The context's number also chooses the chunks.
pub fn run(data: &[u8]) {
    if let Some((context, document)) = context_and_document(data) {
        let mut random = hostile::Random::new(context);
        let sizes = hostile::sizes(&random.choices(8));
        let context = hostile::context(context);
        laws::whole_is_any_chunking(document, &context, &sizes);
        laws::flushed_at_any_time(document, &context, random.below(document.len() + 2));
    }
}
