//! Each predicate with its clauses and its invariant.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_chc::{Atom, Clause, ClauseId, Model, PredicateId, System};
use shem_term::{Store, Symbol, Term, View};

use crate::markup::{cut, escape};
use crate::notation::{Names, Notation};

/// The bytes of a clause, of an invariant, and of all of them.
const CLAUSE: usize = 2_500;
const INVARIANT: usize = 12_000;
const ALL: usize = 1_200_000;
/// How many conjuncts of an invariant, clauses of a predicate, and uses of a predicate are shown.
const MOST_CONJUNCTS: usize = 80;
const MOST_CLAUSES: usize = 60;
const MOST_USES: usize = 60;
/// How many facts of a body are shown.
const MOST_FACTS: usize = 12;
/// How many arguments of a predicate are named in its title.
const MOST_ARGUMENTS: usize = 24;
/// The characters of a name.
const MOST_LETTERS: usize = 80;

/// By predicate, names for its arguments: those of the input, or numbers.
pub(crate) fn argument_names(store: &Store, system: &System) -> Vec<Vec<String>> {
    let numbered =
        |at: usize| (0..system.predicates[at].sorts.len()).map(|i| format!("x{}", subscript(i))).collect();
    let written = system.argument_names(store).into_iter().enumerate();
    let shown = |names: Vec<&str>| names.into_iter().map(|name| cut(name, MOST_LETTERS)).collect();
    written.map(|(at, names)| names.map_or_else(|| numbered(at), shown)).collect()
}

fn subscript(number: usize) -> String {
    let digit = |c: char| char::from_u32(0x2080 + c as u32 - '0' as u32).unwrap_or(c);
    number.to_string().chars().map(digit).collect()
}

/// The panels of all predicates.
pub(crate) struct Predicates<'a> {
    pub(crate) store: &'a Store,
    pub(crate) system: &'a System,
    pub(crate) lines: &'a [Option<usize>],
    pub(crate) model: Option<&'a Model>,
    pub(crate) names: &'a [Vec<String>],
}

impl Predicates<'_> {
    /// Where a clause comes from: the name of its assertion and its line.
    fn origin(&self, clause: usize) -> String {
        let name = self.system.clause_name(ClauseId::new(clause)).map(|name| cut(name, MOST_LETTERS));
        let line = self.lines.get(clause).copied().flatten().map(|line| format!("line {line}"));
        let parts: Vec<String> = name.into_iter().chain(line).collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" <span class=\"note\">{}</span>", escape(&parts.join(", "))),
        }
    }

    /// A panel for each predicate, and one for falsehood. Only the first is shown until another is chosen.
    pub(crate) fn html(&self) -> String {
        let mut out = String::new();
        let count = self.system.predicates.len();
        let mut derive: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (i, clause) in self.system.clauses.iter().enumerate() {
            derive[clause.head.as_ref().map_or(count, |head| head.predicate.index())].push(i);
            let users: BTreeSet<usize> = clause.body.iter().map(|atom| atom.predicate.index()).collect();
            users.into_iter().for_each(|at| uses[at].push(i));
        }
        out.push_str("<div class=\"choose\"><label>Predicate <select id=\"choose\">");
        for (at, predicate) in self.system.predicates.iter().enumerate() {
            let _ = write!(
                out,
                "<option value=\"{at}\">{}</option>",
                escape(&cut(&predicate.name, MOST_LETTERS))
            );
        }
        let _ = write!(
            out,
            "<option value=\"{count}\">false (what must not be derived)</option></select></label></div>"
        );
        for at in 0..count {
            let hidden = if at == 0 { "" } else { " hidden" };
            let title = self.signature(at, out.len() > ALL);
            let _ = write!(out, "<article class=\"panel\" id=\"p{at}\"{hidden}><h3>{title}</h3>");
            self.invariant(&mut out, at);
            self.clauses(&mut out, "Clauses that derive it", &derive[at]);
            if !uses[at].is_empty() && out.len() <= ALL {
                out.push_str("<p class=\"uses\">Used in the clauses ");
                for (i, clause) in uses[at].iter().take(MOST_USES).enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    let head = self.system.clauses[*clause]
                        .head
                        .as_ref()
                        .map_or(count, |head| head.predicate.index());
                    let _ = write!(
                        out,
                        "{comma}<a href=\"#c{0}\" data-predicate=\"{head}\" data-clause=\"c{0}\">{0}</a>",
                        clause + 1
                    );
                }
                let more = uses[at].len().saturating_sub(MOST_USES);
                out.push_str(&if more > 0 { format!(", and {more} more.</p>") } else { ".</p>".to_owned() });
            }
            out.push_str("</article>");
        }
        let hidden = if count == 0 { "" } else { " hidden" };
        let _ =
            write!(out, "<article class=\"panel\" id=\"p{count}\"{hidden}><h3 class=\"false\">false</h3>");
        self.clauses(&mut out, "Clauses that derive it", &derive[count]);
        out.push_str("</article>");
        out
    }

    fn signature(&self, at: usize, short: bool) -> String {
        let predicate = &self.system.predicates[at];
        let argument = |(name, &sort): (&String, &shem_term::Sort)| {
            format!(
                "<i>{}</i> <small>{}</small>",
                escape(name),
                escape(&cut(&self.store.display_sort(sort).to_string(), MOST_LETTERS))
            )
        };
        let named = self.names[at].iter().zip(&predicate.sorts);
        let mut arguments: Vec<String> = named.take(MOST_ARGUMENTS).map(argument).collect();
        if predicate.sorts.len() > MOST_ARGUMENTS {
            arguments.push(format!("… {} more", predicate.sorts.len() - MOST_ARGUMENTS));
        }
        let name = escape(&cut(&predicate.name, MOST_LETTERS));
        if short || arguments.is_empty() { name } else { format!("{name}({})", arguments.join(", ")) }
    }

    fn invariant(&self, out: &mut String, at: usize) {
        let Some(model) = self.model else { return };
        out.push_str("<h4>Invariant</h4>");
        if out.len() > ALL {
            out.push_str("<p class=\"note\">Left out: the report would be too large.</p>");
            return;
        }
        let definition = model.definition(PredicateId::new(at));
        let mut names = Names::new();
        for (&parameter, name) in definition.parameters.iter().zip(&self.names[at]) {
            if let Some(symbol) = self.store.as_var(parameter) {
                names.insert(symbol, name.clone());
            }
        }
        self.name_bound(&mut names, definition.body);
        let notation = Notation { store: self.store, names: &names, html: true, limit: INVARIANT / 4 };
        let lines = notation.conjuncts(definition.body, MOST_CONJUNCTS);
        out.push_str("<div class=\"invariant\">");
        let start = out.len();
        for (i, line) in lines.iter().enumerate() {
            if out.len() - start > INVARIANT {
                out.push_str("<div>…</div>");
                break;
            }
            let sign = if i == 0 { "" } else { "<b>∧</b> " };
            let _ = write!(out, "<div>{sign}{line}</div>");
        }
        out.push_str("</div>");
    }

    fn clauses(&self, out: &mut String, title: &str, clauses: &[usize]) {
        if clauses.is_empty() {
            out.push_str("<p class=\"note\">No clause derives it.</p>");
            return;
        }
        if out.len() > ALL {
            out.push_str("<p class=\"note\">Clauses left out: the report would be too large.</p>");
            return;
        }
        let _ = write!(out, "<h4>{title}</h4><ol class=\"clauses\">");
        for &i in clauses.iter().take(MOST_CLAUSES) {
            let text = match out.len() > ALL {
                true => "<span class=\"note\">left out: the report would be too large</span>".to_owned(),
                false => self.clause(&self.system.clauses[i]),
            };
            let _ = write!(out, "<li id=\"c{0}\" value=\"{0}\">{text}{1}</li>", i + 1, self.origin(i));
        }
        out.push_str("</ol>");
        let more = clauses.len().saturating_sub(MOST_CLAUSES);
        if more > 0 {
            let _ = write!(out, "<p class=\"note\">{more} more clauses are not shown.</p>");
        }
    }

    /// A clause: premises and constraint, and what follows.
    fn clause(&self, clause: &Clause) -> String {
        let mut names = Names::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for symbol in clause.variables.iter().filter_map(|&variable| self.store.as_var(variable)) {
            self.name_apart(&mut names, &mut taken, symbol);
        }
        self.name_bound(&mut names, clause.constraint);
        let notation = Notation { store: self.store, names: &names, html: true, limit: CLAUSE / 2 };
        let atom = |atom: &Atom| {
            let at = atom.predicate.index();
            let name = escape(&cut(&self.system.predicates[at].name, MOST_LETTERS));
            let name = format!("<a class=\"atom\" href=\"#p{at}\" data-predicate=\"{at}\">{name}</a>");
            let notation = Notation { limit: 400, ..notation };
            let mut args = String::new();
            for (i, &arg) in atom.args.iter().enumerate() {
                if args.len() > CLAUSE / 3 {
                    args.push_str(", …");
                    break;
                }
                args.push_str(if i > 0 { ", " } else { "" });
                args.push_str(&notation.term(arg));
            }
            if atom.args.is_empty() { name } else { format!("{name}({args})") }
        };
        let mut body: Vec<String> = clause.body.iter().take(MOST_FACTS).map(atom).collect();
        if clause.body.len() > MOST_FACTS {
            body.push(format!("… {} more facts", clause.body.len() - MOST_FACTS));
        }
        let mut size = 0;
        if clause.constraint != Term::TRUE {
            for line in notation.conjuncts(clause.constraint, MOST_CONJUNCTS) {
                if size > CLAUSE {
                    body.push("…".to_owned());
                    break;
                }
                size += line.len();
                body.push(line);
            }
        }
        let head = clause.head.as_ref().map_or("<span class=\"false\">false</span>".to_owned(), atom);
        let body = if body.is_empty() { "true".to_owned() } else { body.join(" <b>∧</b> ") };
        format!("{body} <b class=\"implies\">⇒</b> {head}")
    }

    /// A name for a symbol that no other in reach has.
    fn name_apart(&self, names: &mut Names, taken: &mut BTreeSet<String>, symbol: Symbol) {
        let mut name = cut(self.store.name(symbol), MOST_LETTERS);
        while !taken.insert(name.clone()) {
            name.push('′');
        }
        names.insert(symbol, name);
    }

    /// Names for the bound variables of a formula.
    fn name_bound(&self, names: &mut Names, formula: Term) {
        if !self.store.has_quantifier(formula) {
            return;
        }
        let mut taken: BTreeSet<String> = names.values().cloned().collect();
        for term in self.store.subterms(&[formula]) {
            let View::Forall(bound, _) = self.store.view(term) else { continue };
            for symbol in bound.iter().filter_map(|&variable| self.store.as_var(variable)) {
                if !names.contains_key(&symbol) {
                    self.name_apart(names, &mut taken, symbol);
                }
            }
        }
    }
}
