//! The theory of heaps (Esen and Rümmer, *An SMT-LIB theory of heaps*, SMT 2022), which Eldarica and TriCera speak.
//!
//! `(declare-heap Heap Addr Object default ((Object 0) …) (…))` declares datatypes of objects, which may have addresses in
//! them, and a sort of heaps with `emptyHeap`, `alloc`, `read`, `write`, `valid`, `nullAddr`. Newer files name one more sort,
//! of ranges of addresses, and say `heap.alloc` and so on. Here a heap is a record of a counter and an array: objects
//! are allocated at 1, 2, …, an address is valid up to the counter, reading elsewhere gives the default object, and
//! writing there changes nothing. The declaration is read as these datatypes and definitions.
//!
//! A record may be no heap: its counter may be negative, or its array have objects where nothing was allocated. No
//! operation leads from heaps to such a record, so facts are about heaps if each clause computes its heaps from those of
//! its body. A clause that has a heap from nowhere says more than was written, and the system is marked for it
//! ([`System::is_over_approximated`](crate::System::is_over_approximated)); a quantifier over heaps that stays inside of a
//! constraint is refused. Addresses are records of an integer, for which negative ones are as good as those beyond the
//! counter: a file can only compare them and ask heaps about them.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_term::smtlib::{ErrorKind, Lexer, ReadError, Reader, Span, TokenKind, skip_expression};
use shem_term::{Role, Sort, Store, Term, View};

use crate::system::Atom;

/// A text that is made of pieces of another one.
#[derive(Default)]
struct Pieces {
    text: String,
    /// Where a piece begins and ends here, and where it begins there.
    places: Vec<(usize, usize, u32)>,
}

impl Pieces {
    fn add(&mut self, lexer: &Lexer<'_>, span: Span) {
        let start = self.text.len();
        self.text.push_str(lexer.slice(span));
        self.places.push((start, self.text.len(), span.start));
    }

    /// The place in the other text; `None` if it is in none of the pieces.
    fn original(&self, span: Span) -> Option<Span> {
        let (start, end) = (span.start as usize, span.end as usize);
        let piece = self.places.iter().find(|&&(from, to, _)| from <= start && end <= to);
        piece.map(|&(from, _, there)| {
            let at = |offset: usize| there + (offset - from) as u32;
            Span::new(at(start), at(end))
        })
    }
}

/// Reads what stands in a declaration of a heap behind its name, up to the closing parenthesis. Gives the sorts with
/// heaps in them. A declaration with a mistake has no effect.
pub(super) fn declare_heap(
    reader: &mut Reader,
    lexer: &mut Lexer<'_>,
    store: &mut Store,
    word: Span,
) -> Result<Vec<Sort>, ReadError> {
    let mut parts: Vec<Span> = Vec::new();
    while !matches!(lexer.peek().kind, TokenKind::Close | TokenKind::End) {
        let token = lexer.peek();
        if parts.len() < 3 && token.kind != TokenKind::Symbol {
            let message = "expected the name of a sort: of heaps, of addresses and of objects";
            return Err(ReadError::new(ErrorKind::Syntax, token.span(), message));
        }
        let start = token.start;
        skip_expression(lexer)?;
        parts.push(Span::new(start, lexer.offset()));
    }
    let (range, rest) = match parts[..] {
        [_, _, _, _, _, _] => (None, 2),
        [_, _, range, _, _, _, _] => (Some(range), 3),
        _ => {
            let message = "declare-heap takes the names of three sorts, or of four with that of ranges, an object, and \
                           the declarations of datatypes";
            return Err(ReadError::new(ErrorKind::Syntax, word, message));
        }
    };
    let [heap, addr, object] = [parts[0], parts[1], parts[rest]];
    let pieces = definitions(lexer, [heap, addr, object], range, &parts[rest + 1..]);
    let mut own = reader.clone();
    let mut generated = Lexer::new(&pieces.text)?;
    loop {
        match own.next_command(&mut generated, store) {
            Ok(None) => break,
            Ok(Some(_)) => {}
            Err(error) => {
                let span = pieces.original(error.span).unwrap_or(word);
                return Err(ReadError { span, ..error });
            }
        }
    }
    let name = plain(lexer.slice(heap));
    let mut sorts = Vec::new();
    for sort in [format!("|{name}|"), format!("|{}|", result_name(name, range.is_some()))] {
        sorts.push(own.read_sort(&mut Lexer::new(&sort)?, store)?);
    }
    *reader = own;
    Ok(sorts)
}

/// A symbol without its quotes.
fn plain(symbol: &str) -> &str {
    symbol.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(symbol)
}

/// The name of the sort of what `alloc` gives.
fn result_name(heap: &str, is_new: bool) -> String {
    if is_new { "heap.heapAddrPair".to_owned() } else { format!("AllocRes{heap}") }
}

/// The datatypes and definitions that a declaration stands for.
fn definitions(lexer: &Lexer<'_>, names: [Span; 3], range: Option<Span>, rest: &[Span]) -> Pieces {
    let [heap, addr, object] = names;
    let h = plain(lexer.slice(heap));
    let a = plain(lexer.slice(addr));
    let is_new = range.is_some();
    let name = |old: String, new: &str| if is_new { format!("|heap.{new}|") } else { format!("|{old}|") };
    let mut pieces = Pieces::default();
    pieces.text.push_str("(declare-datatypes ((");
    pieces.add(lexer, addr);
    let _ = write!(pieces.text, " 0)) (((|address of {h}| (|number in {h}| Int)))))\n(declare-datatypes ((");
    match range {
        Some(range) => pieces.add(lexer, range),
        None => {
            let _ = write!(pieces.text, "|{a}Range|");
        }
    }
    let (make, first, size) = match is_new {
        true => (format!("range of {h}"), format!("start in {h}"), format!("length in {h}")),
        false => (format!("{a}Range"), format!("{a}RangeStart"), format!("{a}RangeSize")),
    };
    let _ = write!(pieces.text, " 0)) (((|{make}| (|{first}| |{a}|) (|{size}| Int)))))\n(declare-datatypes ");
    pieces.add(lexer, rest[1]);
    pieces.text.push(' ');
    pieces.add(lexer, rest[2]);
    let _ = write!(pieces.text, ")\n(define-fun |default of {h}| () ");
    pieces.add(lexer, object);
    pieces.text.push(' ');
    pieces.add(lexer, rest[0]);
    pieces.text.push_str(")\n(declare-datatypes ((");
    pieces.add(lexer, heap);
    let o = plain(lexer.slice(object));
    let _ = writeln!(
        pieces.text,
        " 0)) (((|heap of {h}| (|size of {h}| Int) (|objects of {h}| (Array Int |{o}|))))))"
    );
    let result = result_name(h, is_new);
    let new_heap = name(format!("new{h}"), "heapAddrPair_1");
    let new_addr = name(format!("new{a}"), "heapAddrPair_2");
    let valid = name("valid".to_owned(), "valid");
    let _ = write!(
        pieces.text,
        "(declare-datatypes ((|{result}| 0)) (((|{result}| ({new_heap} |{h}|) ({new_addr} |{a}|)))))
(define-fun {empty} () |{h}| (|heap of {h}| 0 ((as const (Array Int |{o}|)) |default of {h}|)))
(define-fun {null} () |{a}| (|address of {h}| 0))
(define-fun {valid} ((h |{h}|) (a |{a}|)) Bool
  (and (<= 1 (|number in {h}| a)) (<= (|number in {h}| a) (|size of {h}| h))))
(define-fun {read} ((h |{h}|) (a |{a}|)) |{o}|
  (ite ({valid} h a) (select (|objects of {h}| h) (|number in {h}| a)) |default of {h}|))
(define-fun {write} ((h |{h}|) (a |{a}|) (o |{o}|)) |{h}|
  (ite ({valid} h a)
    (|heap of {h}| (|size of {h}| h) (store (|objects of {h}| h) (|number in {h}| a) o)) h))
(define-fun {alloc} ((h |{h}|) (o |{o}|)) |{result}|
  (|{result}|
    (|heap of {h}| (+ (|size of {h}| h) 1) (store (|objects of {h}| h) (+ (|size of {h}| h) 1) o))
    (|address of {h}| (+ (|size of {h}| h) 1))))
",
        empty = name(format!("empty{h}"), "empty"),
        null = name(format!("null{a}"), "null"),
        read = name("read".to_owned(), "read"),
        write = name("write".to_owned(), "write"),
        alloc = name("alloc".to_owned(), "alloc"),
    );
    if is_new {
        let _ = write!(
            pieces.text,
            "(define-fun |heap.alloc_first| ((r |{result}|)) |{h}| ({new_heap} r))
(define-fun |heap.alloc_second| ((r |{result}|)) |{a}| ({new_addr} r))
"
        );
    }
    pieces
}

/// Whether a quantifier in the formula binds a variable of one of these sorts.
pub(super) fn binds_sort(store: &Store, sorts: &[Sort], formula: Term) -> bool {
    store.subterms(&[formula]).into_iter().any(|term| match store.view(term) {
        View::Forall(vars, _) => vars.iter().any(|&var| sorts.contains(&store.sort(var))),
        _ => false,
    })
}

/// Whether all variables of these sorts in a clause are computed from those of its body: each is an argument there, or
/// equals a term over such ones.
pub(super) fn are_determined(
    store: &Store,
    sorts: &[Sort],
    variables: &[Term],
    constraint: Term,
    body: &[Atom],
) -> bool {
    let mut open: BTreeSet<Term> = variables.iter().copied().collect();
    open.retain(|&variable| sorts.contains(&store.sort(variable)));
    for atom in body {
        atom.args.iter().for_each(|&arg| determine(store, arg, &mut open));
    }
    let mut equations: Vec<(Term, Term)> = Vec::new();
    let conjuncts: &[Term] = match store.view(constraint) {
        View::And(members) if !constraint.is_negated() => members,
        _ => &[constraint],
    };
    for &conjunct in conjuncts.iter().filter(|conjunct| !conjunct.is_negated()) {
        if let View::Equal(a, b) = store.view(conjunct) {
            equations.extend([(a, b), (b, a)]);
        }
    }
    loop {
        let before = open.len();
        for &(side, value) in &equations {
            if store.free_variables(&[value]).iter().all(|variable| !open.contains(variable)) {
                determine(store, side, &mut open);
            }
        }
        if open.is_empty() {
            return true;
        }
        if open.len() == before {
            return false;
        }
    }
}

/// Takes out the variables that are known with the value of a term: itself, and what constructors are applied to in it.
fn determine(store: &Store, term: Term, open: &mut BTreeSet<Term>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        open.remove(&term);
        if let Some((_, Role::Constructor { .. }, args)) = store.as_app(term) {
            stack.extend(args);
        }
    }
}
