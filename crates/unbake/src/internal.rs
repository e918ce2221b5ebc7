//! What our tests and fuzz targets read beside the public interface. Not part of it: anything here may change.

use crate::encoding::Encoding;
use crate::late_meta::LateMeta;
use crate::meta::extract_a_label_from_a_meta_element;
use crate::{label, mime, prescan, xml};

/// The prescan of exactly these bytes, with its first step and its fallback.
pub fn prescan_a_byte_stream(bytes: &[u8]) -> Option<Encoding> {
    prescan::utf_16_prefix(bytes)
        .or_else(|| {
            prescan::prescan_a_byte_stream(bytes)
                .iter()
                .find(|found| found.counts())
                .and_then(|found| found.encoding)
        })
        .or_else(|| get_an_xml_encoding(bytes))
}

/// "Get an XML encoding", UTF-16 rewritten.
pub fn get_an_xml_encoding(bytes: &[u8]) -> Option<Encoding> {
    let encoding = xml::get_an_xml_encoding(bytes)?.encoding?;
    Some(if encoding.is_utf_16() {
        Encoding::UTF_8
    } else {
        encoding
    })
}

/// "Extracting a character encoding from a meta element".
pub fn extract_a_character_encoding(content: &[u8]) -> Option<Encoding> {
    label::get_an_encoding(extract_a_label_from_a_meta_element(content)?)
}

/// The essence and the charset of one Content-Type value.
pub fn parse_a_mime_type(value: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let parsed = mime::parse_a_mime_type(value)?;
    Some((parsed.essence, parsed.charset))
}

/// The essence, the label and the encoding of all Content-Type lines.
pub fn legacy_extract_an_encoding(
    lines: &[Vec<u8>],
) -> (Option<Vec<u8>>, Option<Vec<u8>>, Option<Encoding>) {
    let found = mime::legacy_extract_an_encoding(lines);
    (found.essence, found.label, found.encoding)
}

/// What the first `<meta>` that triggers "change the encoding" changes it to.
pub fn first_meta_of_the_tree(bytes: &[u8]) -> Option<Encoding> {
    LateMeta::of(bytes)?.encoding
}
