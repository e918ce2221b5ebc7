//! Archives in an object store or behind an HTTP server, read by byte ranges.

use std::io::{self, Read};
use std::ops::Range;

use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::runtime::Runtime;

/// How much is asked for at once.
///
/// # Units
/// Bytes.
const PIECE: u64 = 4 << 20;

/// One object, read from a place to a place.
pub(crate) struct Remote {
    runtime: Runtime,
    store: Box<dyn ObjectStore>,
    path: Path,
    left: Range<u64>,
    piece: bytes::Bytes,
}

/// Is this the address of an object?
pub(crate) fn is_remote(text: &str) -> bool {
    ["http://", "https://", "s3://", "s3a://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

impl Remote {
    /// Opens the object at `address`; credentials and the like for S3 are in the usual `AWS_` variables.
    /// Answers its size as well.
    pub(crate) fn open(
        address: &str,
        offset: u64,
        length: Option<u64>,
    ) -> io::Result<(Remote, u64)> {
        // Somebody else in the process may have chosen a provider already: that one is as good.
        let _chosen_before = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let url = url::Url::parse(address).map_err(io::Error::other)?;
        let mut options: Vec<(String, String)> = std::env::vars()
            .filter(|(name, _)| name.starts_with("AWS_"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect();
        // An address that says `http` is meant so.
        if url.scheme() == "http" {
            options.push(("allow_http".to_owned(), "true".to_owned()));
        }
        let (store, path) = object_store::parse_url_opts(&url, options)?;
        let size = runtime.block_on(store.head(&path))?.size;
        let end = length.map_or(size, |length| size.min(offset.saturating_add(length)));
        let remote = Remote {
            runtime,
            store,
            path,
            left: offset.min(end)..end,
            piece: bytes::Bytes::new(),
        };
        Ok((remote, size))
    }
}

impl Read for Remote {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.piece.is_empty() && !self.left.is_empty() {
            let end = self.left.end.min(self.left.start + PIECE);
            let range = self.left.start..end;
            let wanted = end - self.left.start;
            self.piece = self
                .runtime
                .block_on(self.store.get_range(&self.path, range))?;
            if self.piece.len() as u64 != wanted {
                let message = format!(
                    "the server sent {} bytes of the {wanted} that were asked for",
                    self.piece.len()
                );
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
            }
            self.left.start = end;
        }
        let n = out.len().min(self.piece.len());
        let taken = self.piece.split_to(n);
        out.get_mut(..n).unwrap_or_default().copy_from_slice(&taken);
        Ok(n)
    }
}
