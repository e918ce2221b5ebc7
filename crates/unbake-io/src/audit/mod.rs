//! The audit: what is wrong with the texts of a crawl or a table, in counts that can be merged and compared.
//!
//! ```text
//! document -> Seen -> Audit -> Checks -> table, JSON, CSV, HTML, Prometheus, JUnit
//!             page    counts   alarms    write
//! ```
//!
//! # Example
//! ```
//! use unbake::Context;
//! use unbake_io::audit::{Audit, Page, Seen};
//! let context = Context { content_type: vec![b"text/html".to_vec()], ..Context::default() };
//! let page = Page {
//!     body: b"<meta charset=utf-8>caf\xC3\xA9",
//!     context: &context,
//!     name: "http://a.example/",
//!     url: Some("http://a.example/"),
//!     date: None,
//!     file: None,
//!     record_at: None,
//! };
//! let mut audit = Audit::new(String::new(), 1000);
//! audit.add(Seen::page(&page));
//! // requests does not look at the meta element.
//! assert_eq!((audit.all.pages, audit.all.garbled_requests), (1, 1));
//! ```

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts of pages stay far below 2^52"
)]

mod python_table;
mod python;
mod readers;
mod stats;
mod tally;
mod groups;
mod page;
mod counts;
mod alarm;
mod columns;
mod table;
mod metrics;
mod svg;
mod html;
mod rows;
mod run;

pub use alarm::{Check, Checks, Culprit, Thresholds, check};
pub use counts::{Audit, By, HOST_CAP, Lost, SCHEMA};
pub use groups::Groups;
pub use html::html;
pub use metrics::{json, junit, prometheus, write_whole};
pub use page::{FITS, Page, Seen};
pub use rows::Columns;
pub use run::Run;
pub use stats::{
    FEW_HOSTS, Pair, Test, clusters, holm, independent_rows, normal_upper, rise, wilson,
};
pub use table::{csv, text};
pub use tally::{Example, Field, Measure, Problem, Tally};
