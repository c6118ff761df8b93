//! The text of a clause as the input has it.
//!
//! Terms are kept in canonical form, in which `(= y (+ x 1))` looks different; whoever compares a derivation with the
//! input wants the clause as it stands there. So its tokens are taken from the input, and cut where a variable of the
//! clause occurs. That is done for assertions that are one clause: a universal formula whose variables are those of
//! the clause, or a formula without variables. Others are written as clauses from their terms.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::Store;
use shem_term::smtlib::{Lexer, TokenKind};

use super::clause::{ClauseText, Piece};
use crate::system::Clause;

/// A pair of parentheses that is open.
#[derive(Default)]
struct OpenList<'t> {
    kind: ListKind,
    /// The names that are bound in it.
    bound: Vec<&'t str>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ListKind {
    /// A term.
    #[default]
    Term,
    /// A `let`, or a quantifier, whose list of bindings comes next.
    Let,
    Quantifier,
    /// The list of bindings of a `let`, or of variables.
    Bindings,
    Variables,
    /// A binding, whose name comes next.
    Binding,
    /// A variable with its sort.
    Variable,
}

impl ClauseText {
    /// The text of a clause in the input that it was read from, or `None` if the clause is not what stands there.
    pub(super) fn of_input(store: &Store, clause: &Clause, input: &str) -> Option<ClauseText> {
        let command = input.get(clause.span.range())?;
        let mut lexer = Lexer::new(command).ok()?;
        let mut word = |kind: TokenKind, text: &str| {
            let token = lexer.next_token();
            (token.kind == kind && lexer.slice(token.span()) == text).then_some(())
        };
        word(TokenKind::Open, "(")?;
        word(TokenKind::Symbol, "assert")?;
        let mut names = Vec::new();
        let mut positions: HashMap<&str, usize, FxBuildHasher> = HashMap::default();
        if !clause.variables.is_empty() {
            word(TokenKind::Open, "(")?;
            word(TokenKind::Symbol, "forall")?;
            word(TokenKind::Open, "(")?;
            for (position, &variable) in clause.variables.iter().enumerate() {
                let open = lexer.next_token();
                let token = lexer.next_token();
                let name = lexer.slice(token.span());
                let own = store.name(store.as_var(variable)?);
                if open.kind != TokenKind::Open || unquoted(name) != own {
                    return None;
                }
                skip_to_close(&mut lexer)?;
                names.push(name.to_owned());
                positions.insert(unquoted(name), position);
            }
            if lexer.next_token().kind != TokenKind::Close {
                return None;
            }
        }
        let pieces = cut(&mut lexer, &positions)?;
        Some(ClauseText { names, pieces })
    }
}

/// The text of the next term, cut at the variables.
fn cut<'t>(lexer: &mut Lexer<'t>, positions: &HashMap<&str, usize, FxBuildHasher>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    // Names that are bound inside, with how often.
    let mut hidden: HashMap<&'t str, usize, FxBuildHasher> = HashMap::default();
    let mut frames: Vec<OpenList<'t>> = Vec::new();
    let (mut after_open, mut after_keyword) = (true, false);
    loop {
        let token = lexer.next_token();
        let piece = lexer.slice(token.span());
        if !after_open && token.kind != TokenKind::Close {
            text.push(' ');
        }
        let is_head = after_open && !frames.is_empty();
        let was_keyword = std::mem::replace(&mut after_keyword, token.kind == TokenKind::Keyword);
        after_open = token.kind == TokenKind::Open;
        match token.kind {
            TokenKind::Open => {
                let kind = match frames.last().map_or(ListKind::Term, |frame| frame.kind) {
                    ListKind::Let => ListKind::Bindings,
                    ListKind::Quantifier => ListKind::Variables,
                    ListKind::Bindings => ListKind::Binding,
                    ListKind::Variables => ListKind::Variable,
                    _ => ListKind::Term,
                };
                text.push('(');
                frames.push(OpenList { kind, bound: Vec::new() });
            }
            TokenKind::Close => {
                text.push(')');
                let closed = frames.pop()?;
                if let ListKind::Bindings | ListKind::Variables = closed.kind {
                    // From here on the names mean what was bound.
                    let outer = frames.last_mut()?;
                    outer.kind = ListKind::Term;
                    for &name in &closed.bound {
                        *hidden.entry(name).or_insert(0) += 1;
                    }
                    outer.bound = closed.bound;
                } else if let ListKind::Binding | ListKind::Variable = closed.kind {
                    frames.last_mut()?.bound.extend(closed.bound);
                } else {
                    for name in closed.bound {
                        *hidden.get_mut(name)? -= 1;
                    }
                }
            }
            TokenKind::Symbol | TokenKind::Quoted => {
                let name = unquoted(piece);
                let frame = frames.last_mut();
                let kind = frame.as_ref().map_or(ListKind::Term, |frame| frame.kind);
                let free = hidden.get(name).is_none_or(|&count| count == 0);
                match (positions.get(name), frame) {
                    (_, Some(frame)) if is_head => {
                        match (kind, piece) {
                            (ListKind::Binding | ListKind::Variable, _) => frame.bound.push(name),
                            (ListKind::Term, "let") => frame.kind = ListKind::Let,
                            (ListKind::Term, "forall" | "exists") => frame.kind = ListKind::Quantifier,
                            _ => {}
                        }
                        text.push_str(piece);
                    }
                    (Some(&position), _) if free && !was_keyword && kind != ListKind::Variable => {
                        pieces.push(Piece::Text(std::mem::take(&mut text).into()));
                        pieces.push(Piece::Variable(position));
                    }
                    _ => text.push_str(piece),
                }
            }
            TokenKind::End | TokenKind::Malformed => return None,
            _ => text.push_str(piece),
        }
        if frames.is_empty() {
            pieces.push(Piece::Text(text.into()));
            return Some(pieces);
        }
    }
}

/// The name without bars.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('|').and_then(|inner| inner.strip_suffix('|')).unwrap_or(text)
}

fn skip_to_close(lexer: &mut Lexer<'_>) -> Option<()> {
    let mut depth = 1_usize;
    while depth > 0 {
        match lexer.next_token().kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::End | TokenKind::Malformed => return None,
            _ => {}
        }
    }
    Some(())
}
