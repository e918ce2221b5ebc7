//! The steps of the formats that are not HTML. Their order is in `sniff.rs`.

use crate::bom::yaml_first_bytes;
use crate::clue::{clue, transport_clue};
use crate::css::at_charset;
use crate::decision::{Clue, Fate, Origin, Reason};
use crate::encoding::Encoding;
use crate::label::{get_an_encoding, show_label};
use crate::mime::Transport;
use crate::rule::{Confidence, Rule};
use crate::xml::utf_16_declaration;

use super::Sniffing;

impl Sniffing<'_, '_> {
    /// The transport layer of a format that has no `charset` parameter.
    pub(super) fn transport_ignored(&mut self, transport: &Transport) {
        if let Some(mut clue) = transport_clue(transport, self.context) {
            clue.fate = Fate::Ignored;
            clue.reason = Some(Reason::NotInThisFormat);
            self.clues.push(clue);
        }
    }

    /// XML: the declaration, which in UTF-16 gives itself away.
    pub(super) fn xml_document(&mut self) {
        if let Some(encoding) = utf_16_declaration(self.head) {
            let prefix = Clue {
                at: Some((0, 4)),
                ..clue(Origin::Utf16Prefix, encoding)
            };
            self.offer(prefix, Rule::XmlDeclaration, Confidence::Certain);
        }
        self.xml_declaration();
        if let Some((index, encoding, Rule::XmlDeclaration, _)) = self.decided {
            self.decided = Some((index, encoding, Rule::XmlDeclaration, Confidence::Certain));
        }
    }

    /// CSS: `@charset`.
    pub(super) fn style_sheet(&mut self) {
        if let Some((label, at)) = at_charset(self.head) {
            let named = get_an_encoding(label);
            let encoding = named.map(|e| if e.is_utf_16() { Encoding::UTF_8 } else { e });
            let clue = Clue {
                origin: Origin::CssCharset,
                label: Some(show_label(label)),
                encoding,
                at: Some(at),
                fate: if encoding.is_some() {
                    Fate::Outranked
                } else {
                    Fate::UnknownLabel
                },
                reason: (encoding != named).then_some(Reason::Utf16MeansUtf8),
            };
            self.offer(clue, Rule::CssCharset, Confidence::Certain);
        }
    }

    /// The environment encoding of a style sheet or a classic script: the `charset` attribute of what refers to it, else the
    /// encoding of that document. Here UTF-16 is allowed, and its origin does not matter.
    pub(super) fn environment(&mut self) {
        if let Some(parent) = self.context.parent {
            self.offer(
                clue(Origin::Parent, parent.encoding),
                Rule::Parent,
                Confidence::Certain,
            );
        }
    }

    /// YAML without a mark: the first four bytes.
    pub(super) fn yaml_stream(&mut self) {
        if let Some(encoding) = yaml_first_bytes(self.head) {
            let len = self.head.len().min(4) as u64;
            let first = Clue {
                at: Some((0, len)),
                ..clue(Origin::Format, encoding)
            };
            self.offer(first, Rule::Format, Confidence::Certain);
        }
    }

    /// UTF-8, for formats that know nothing else.
    pub(super) fn format_default(&mut self) {
        if self.decided.is_none() {
            self.offer(
                clue(Origin::Format, Encoding::UTF_8),
                Rule::Format,
                Confidence::Certain,
            );
        }
    }

    /// Characters already. The bytes are only how they are handed over.
    pub(super) fn characters(&mut self) {
        self.offer(
            clue(Origin::Format, Encoding::UTF_8),
            Rule::Format,
            Confidence::Irrelevant,
        );
    }
}
