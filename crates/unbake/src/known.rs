//! What a context says once it is read: the transport layer, the format, the detector's hints.

use crate::bom::BomTable;
use crate::decision::{Context, Format, FormatSource, Utf8Valid};
use crate::detect::{Candidates, Detector, Hints};
use crate::encoding::Encoding;
use crate::format::of_document;
use crate::mime::{Transport, legacy_extract_an_encoding};

/// The context with what the headers say, parsed once.
pub(crate) struct Known {
    pub(crate) transport: Transport,
    pub(crate) format: Format,
    pub(crate) format_source: FormatSource,
    pub(crate) boms: BomTable,
}

impl Known {
    pub(crate) fn of(context: &Context, head: &[u8]) -> Known {
        let transport = legacy_extract_an_encoding(&context.content_type);
        let (format, format_source) = of_document(
            context.format,
            transport.essence.as_deref(),
            context.file_name.as_deref(),
            head,
        );
        // A header that says what it is makes it a document of the web; and who says UTF-16LE does not mean UTF-32LE.
        let plain_file = (context.local_file || context.content_type.is_empty())
            && context.user_override != Some(Encoding::UTF_16LE);
        Known {
            transport,
            format,
            format_source,
            boms: format.bom_table(plain_file),
        }
    }
}

/// May the detector answer UTF-8? Browsers forbid it for what came over the network.
pub(crate) fn allow_utf_8(context: &Context) -> bool {
    match context.settings.utf_8_valid {
        Utf8Valid::Always => true,
        Utf8Valid::LocalFiles => context.local_file,
        Utf8Valid::Never => false,
    }
}

/// A detector with the context's hints.
pub(crate) fn detector(context: &Context) -> Detector {
    let allow_utf_8 = allow_utf_8(context);
    let hints = Hints {
        tld: context.tld.clone(),
        lang: context.lang.clone(),
        allow_utf_8,
        // Where the question is what a browser shows, the answer is one that browsers have.
        candidates: if allow_utf_8 {
            Candidates::Web
        } else {
            Candidates::Browsers
        },
    };
    Detector::new(hints)
}
