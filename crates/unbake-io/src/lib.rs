//! Reads crawl archives, decodes what is in them, and writes columns.
//!
//! ```text
//! file -> Input -> Members -> Window -> WarcReader -> Record -> http::Head -> Body
//!         bytes    gzip, zstd  borders    records                 head         codings removed
//! ```
//!
//! # Example
//! ```
//! use unbake_io::{Item, Limits, Options, WarcReader};
//! let archive = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\n\
//!     Content-Length: 76\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
//!     5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n\r\n\r\n";
//! let mut reader = WarcReader::new("a.warc", &archive[..], Options::default());
//! let Some(Item::Record(record)) = reader.next() else { panic!() };
//! assert_eq!(&*record.body(&Limits::default()).bytes, b"hello, world");
//! ```

mod address;
mod error;
mod note;
mod limits;
mod headers;
mod sidecar;
mod walk;
mod chunked;
mod input;
mod members;
mod coding;
mod body;
pub mod http;
mod record;
mod window;
mod header;
mod reader;
mod source;
mod document;
mod cdxj;
mod output;
mod row;
pub mod ndjson;
#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "parquet")]
mod old_rows;
#[cfg(feature = "parquet")]
mod table;
#[cfg(feature = "parquet")]
mod table_file;
mod sink;
#[cfg(feature = "remote")]
mod remote;
mod tasks;
pub mod engine;
mod manifest;
pub mod audit;
pub mod batch;
#[cfg(feature = "parquet")]
pub mod redecode;
#[cfg(feature = "_generate")]
#[doc(hidden)]
pub mod generate;

pub use address::{clean_tld, host, top_level_domain};
pub use body::{Body, remove_codings};
pub use chunked::{ChunkedEnd, decode_chunked};
#[cfg(feature = "parquet")]
pub use columns::ColumnNames;
pub use document::Document;
pub use error::{Error, Kind, shorten};
pub use headers::Headers;
pub use limits::Limits;
pub use note::Note;
pub use output::{Form, Layout};
pub use reader::{Options, WarcReader};
pub use record::{Item, Place, Record, RecordError, RecordType, Skipped};
pub use row::{ErrorCell, ErrorRow, Out, Row};
pub use sidecar::sidecar_content_types;
pub use sink::{Finished, Sink};
pub use source::Source;
pub use tasks::{From, Input, Part, Reading, Seen, Task, Tasks};
pub use walk::{Walked, path_text, walk};
