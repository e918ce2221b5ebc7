//! Bytes of web pages to the text a visitor would have seen, and why.

mod encoding;
pub mod detect;

pub use encoding::Encoding;
