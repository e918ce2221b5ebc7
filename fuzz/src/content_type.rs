//! Content-Type lines, against a slow reading of the standards' steps.

use crate::laws;

/// The target. A U+0001 byte parts the lines.
pub fn run(data: &[u8]) {
    let lines: Vec<Vec<u8>> = data.split(|&byte| byte == 1).map(<[u8]>::to_vec).collect();
    laws::content_type_is_the_standards(&lines);
}
