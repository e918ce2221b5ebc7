//! The prescan, against a slow reading of the standard's steps.

use crate::laws;

/// The target.
pub fn run(data: &[u8]) {
    laws::prescan_is_the_standards(data);
}
