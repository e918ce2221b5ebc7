//! Any document under any context: decided, decoded as decided, its malformed sequences where they are said to be.

use crate::{context_and_document, hostile, laws};

/// The target.
pub fn run(data: &[u8]) {
    if let Some((context, document)) = context_and_document(data) {
        laws::decoded_as_decided(document, &hostile::context(context));
    }
}
