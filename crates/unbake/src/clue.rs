//! From what the readers found to [`Clue`]s.

use crate::decision::{Clue, Context, Fate, Origin, Reason};
use crate::encoding::Encoding;
use crate::label::show_label;
use crate::meta::MetaDeclaration;
use crate::mime::Transport;

/// A clue without a label, whose fate is open.
pub(crate) fn clue(origin: Origin, encoding: Encoding) -> Clue {
    Clue {
        origin,
        label: None,
        encoding: Some(encoding),
        at: None,
        fate: Fate::Outranked,
        reason: None,
    }
}

pub(crate) fn meta_clue(meta: &MetaDeclaration) -> Clue {
    let fate = match (meta.reason, meta.encoding) {
        (Some(Reason::NoPragma), _) => Fate::Ignored,
        (Some(Reason::Unfinished), _) => Fate::OutOfReach,
        (_, None) => Fate::UnknownLabel,
        (_, Some(_)) => Fate::Outranked,
    };
    Clue {
        origin: Origin::Meta,
        label: Some(show_label(&meta.label)),
        encoding: meta.encoding,
        at: Some(meta.at),
        fate,
        reason: meta.reason,
    }
}

pub(crate) fn transport_clue(transport: &Transport, context: &Context) -> Option<Clue> {
    let open = Clue {
        origin: Origin::Transport,
        label: None,
        encoding: transport.encoding,
        at: None,
        fate: Fate::Outranked,
        reason: None,
    };
    match &transport.label {
        Some(label) => Some(Clue {
            label: Some(show_label(label)),
            fate: if transport.encoding.is_some() {
                Fate::Outranked
            } else {
                Fate::UnknownLabel
            },
            ..open
        }),
        // A header that names a charset and is no MIME type is worth a word.
        None if transport.essence.is_none() && !context.content_type.is_empty() => Some(Clue {
            label: context.content_type.last().map(|value| show_label(value)),
            fate: Fate::Ignored,
            reason: Some(Reason::NotAMimeType),
            ..open
        }),
        None => None,
    }
}
