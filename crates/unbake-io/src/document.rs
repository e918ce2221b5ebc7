//! [`Document`]: one document on its way to be decoded, whatever it was stored in.

use std::borrow::Cow;

use unbake::{Context, Encoding, Format};

use crate::address::top_level_domain;
use crate::limits::Limits;
use crate::record::{Record, RecordType};
use crate::source::{Source, essence};

/// The bytes of a document without codings, and all that is known beside them.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// As given, the file's path, or WARC-Record-ID.
    pub id: Option<String>,
    /// As given, or WARC-Target-URI.
    pub url: Option<String>,
    /// The bytes.
    pub body: Cow<'a, [u8]>,
    /// How it is decoded.
    pub context: Context,
    /// Where it comes from.
    pub source: Source,
    /// Are malformed bytes an error? `None`: as the run says.
    pub strict: Option<bool>,
}

impl<'a> Document<'a> {
    /// The document of a record of an archive that is called `file`.
    ///
    /// The context says how it is decoded; what the record itself says (Content-Type, the top-level domain
    /// of its URL, plain text for a conversion) is put in its place.
    pub fn of_record(
        record: &'a Record,
        file: &str,
        context: &Context,
        limits: &Limits,
    ) -> Document<'a> {
        let warc = record.warc();
        let content_types = record.content_types();
        let body = record.body(limits);
        let url = record.url();
        let id = record.id();
        let mut context = context.clone();
        let content_mime_type = content_types.first().and_then(|value| essence(value));
        context.content_type = content_types;
        if context.tld.is_none() {
            context.tld = url.as_deref().and_then(top_level_domain);
        }
        // WET records are UTF-8 by definition; their Content-Type does not say so.
        if record.record_type() == RecordType::Conversion && context.user_override.is_none() {
            context.content_type.clear();
            context.format = Some(Format::Text);
            context.user_override = Some(Encoding::UTF_8);
        }
        let notes = record.notes().iter().chain(&body.notes);
        let source = Source {
            fetch_time: record.date(),
            fetch_status: record.http().and_then(|head| head.status()),
            content_mime_type,
            content_digest: warc.text("WARC-Payload-Digest"),
            content_truncated: warc.text("WARC-Truncated"),
            warc_filename: Some(file.to_owned()),
            warc_record_offset: Some(record.place().offset),
            warc_record_length: record.place().length,
            warc_record_id: id.clone(),
            warc_type: Some(record.record_type().id()),
            warc_refers_to: record.refers_to(),
            body_coding: Some(body.coding()),
            notes: notes.map(|note| note.id()).collect(),
        };
        Document {
            id,
            url,
            body: body.bytes,
            context,
            source,
            strict: None,
        }
    }
}
