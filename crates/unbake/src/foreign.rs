//! The open elements of SVG and MathML.

use std::collections::HashMap;

use crate::tag::Name;

/// The namespaces that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// An open element of SVG or MathML.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    pub(crate) name: Name,
    /// The namespace of its content: HTML in an integration point.
    pub(crate) content: Namespace,
    /// No element of HTML is open in it: it is the current node.
    pub(crate) bare: bool,
}

/// Deeper nesting of foreign elements than this is not followed: memory stays bounded.
const LIMIT: usize = 4096;

/// The stack of them, innermost last; none is HTML. Where a name stands is looked up, not searched for: a document may hold millions of
/// end tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenForeign {
    elements: Vec<Foreign>,
    of_name: HashMap<Name, Vec<usize>>,
    /// Those whose content is HTML.
    points: Vec<usize>,
}

impl OpenForeign {
    pub(crate) fn last(&self) -> Option<&Foreign> {
        self.elements.last()
    }

    /// Notes whether the innermost is still bare.
    pub(crate) fn keep_bare(&mut self, bare: bool) {
        if let Some(last) = self.elements.last_mut() {
            last.bare &= bare;
        }
    }

    pub(crate) fn push(&mut self, name: Name, content: Namespace) {
        let at = self.elements.len();
        if at == LIMIT {
            return;
        }
        self.elements.push(Foreign {
            name,
            content,
            bare: true,
        });
        self.of_name.entry(name).or_default().push(at);
        if content == Namespace::Html {
            self.points.push(at);
        }
    }

    pub(crate) fn pop(&mut self) {
        let Some(element) = self.elements.pop() else {
            return;
        };
        if let Some(places) = self.of_name.get_mut(&element.name) {
            places.pop();
            if places.is_empty() {
                self.of_name.remove(&element.name);
            }
        }
        self.points.pop_if(|at| *at == self.elements.len());
    }

    /// Closes elements up to the innermost of this name, unless HTML that holds it stands between. An integration point that is the current
    /// node (`at_point`) holds nothing yet.
    pub(crate) fn close(&mut self, name: Name, at_point: bool) {
        let points = match self.points.as_slice() {
            [outer @ .., _] if at_point => outer,
            points => points,
        };
        let holder = points.last().copied().unwrap_or(0);
        let innermost = self.of_name.get(&name).and_then(|places| places.last());
        if let Some(&at) = innermost.filter(|at| **at >= holder) {
            while self.elements.len() > at {
                self.pop();
            }
        }
    }
}
