//! Commands that SMT-LIB does not have: those of the fixed-point form, and `declare-heap`.
//!
//! The fixed-point form of z3 declares relations and variables, gives rules without writing their quantifiers and asks
//! whether a relation can be derived.

use shem_term::smtlib::{Command, Lexer, ReadError, Reader, Span, TokenKind, expect_close, skip_expression};
use shem_term::{Sort, Store, Symbol, Term};

use super::heap::declare_heap;

/// A command of a script of Horn clauses, after its declarations have taken effect.
#[derive(Clone, Debug)]
pub(super) enum Statement<'t> {
    /// A command of SMT-LIB, or `(declare-rel …)`, which declares a symbol as `(declare-fun …)` does.
    Smt(Command<'t>),
    /// `(declare-var …)`: this variable of rules was declared.
    DeclareVariable(Symbol),
    /// `(declare-heap …)`: the sorts that have heaps in them.
    DeclareHeap(Vec<Sort>),
    /// `(rule …)`: the formula, whose free variables are quantified universally.
    Rule(Term),
    /// `(query …)`: the formula, whose free variables are quantified existentially.
    Query(Term),
    /// `(query P)`: whether the predicate holds of any arguments.
    QueryPredicate(Symbol),
}

/// Reads the next command; with it comes its span. `None` at the end of the text.
pub(super) fn next_statement<'t>(
    reader: &mut Reader,
    lexer: &mut Lexer<'t>,
    store: &mut Store,
) -> Result<Option<(Statement<'t>, Span)>, ReadError> {
    let start = lexer.clone();
    let (open, word) = (lexer.next_token(), lexer.next_token());
    let is_command = open.kind == TokenKind::Open && word.kind == TokenKind::Symbol;
    let statement = match lexer.slice(word.span()) {
        "declare-rel" if is_command => {
            let name = reader.read_new_name(lexer)?;
            let args = reader.read_sorts(lexer, store)?;
            // What may follow are the names of representations.
            skip_rest(lexer)?;
            Statement::Smt(Command::Declare(reader.declare_symbol(store, name, &args, Sort::Bool)))
        }
        "declare-var" if is_command => {
            let name = reader.read_new_name(lexer)?;
            let sort = reader.read_sort(lexer, store)?;
            expect_close(&mut lexer.clone())?;
            Statement::DeclareVariable(reader.declare_symbol(store, name, &[], sort))
        }
        "declare-heap" if is_command => {
            Statement::DeclareHeap(declare_heap(reader, lexer, store, word.span())?)
        }
        "rule" if is_command => {
            let formula = reader.read_formula(lexer, store)?;
            // What may follow is the name of the rule.
            skip_rest(lexer)?;
            Statement::Rule(formula)
        }
        "query" if is_command => {
            // A predicate with arguments may be given by its bare name.
            let statement = match reader.read_function_name(lexer) {
                Some(predicate) => Statement::QueryPredicate(predicate),
                None => Statement::Query(reader.read_formula(lexer, store)?),
            };
            // What may follow are options.
            skip_rest(lexer)?;
            statement
        }
        _ => {
            *lexer = start;
            let command = reader.next_command(lexer, store)?;
            return Ok(command.map(|(command, span)| (Statement::Smt(command), span)));
        }
    };
    let close = expect_close(lexer)?;
    Ok(Some((statement, open.span().to(close.span()))))
}

/// Passes over expressions up to the closing parenthesis of the command.
fn skip_rest(lexer: &mut Lexer<'_>) -> Result<(), ReadError> {
    while lexer.peek().kind != TokenKind::Close {
        skip_expression(lexer)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let check = |script: &str, expected: &[&str]| {
            let (mut store, mut reader) = (Store::new(), Reader::new());
            let mut lexer = Lexer::new(script).expect("a short text");
            let mut found = Vec::new();
            loop {
                found.push(match next_statement(&mut reader, &mut lexer, &mut store) {
                    Ok(None) => break,
                    Ok(Some((Statement::Smt(Command::Declare(symbol)), _))) => {
                        let signature = store.signature(symbol);
                        format!("relation {} of {}", signature.name, signature.args.len())
                    }
                    Ok(Some((Statement::DeclareVariable(symbol), _))) => {
                        format!("variable {}", store.name(symbol))
                    }
                    Ok(Some((Statement::Rule(formula), _))) => format!("rule {}", store.display(formula)),
                    Ok(Some((Statement::Query(formula), _))) => format!("query {}", store.display(formula)),
                    Ok(Some((Statement::QueryPredicate(symbol), _))) => {
                        format!("query of {}", store.name(symbol))
                    }
                    Ok(Some((other, _))) => format!("{other:?}"),
                    Err(error) => {
                        found.push(format!("{:?} at `{}`", error.kind, &script[error.span.range()]));
                        break;
                    }
                });
            }
            assert_eq!(found, expected, "for {script}");
        };
        check(
            "(declare-rel R (Int Bool) btree extra) (declare-rel S ()) (declare-var x Int) (rule (R x true) name)
             (rule (! (=> (R x false) S) :named n)) (query R) (query S :a true) (query (R 1 false)) (get-proof)",
            &[
                "relation R of 2",
                "relation S of 0",
                "variable x",
                "rule (R x true)",
                "rule (or S (not (R x false)))",
                "query of R",
                "query S",
                "query (R 1 false)",
                "Smt(GetProof)",
            ],
        );
        check("(rule 1)", &["IllSorted at `1`"]);
        check("(query T)", &["Unknown at `T`"]);
        check("(declare-rel and ())", &["Redeclared at `and`"]);
        check("(declare-sort U x)", &["Syntax at `x`"]);
        check("(rule true", &["Syntax at ``"]);
        check("(declare-var x Int 1)", &["Syntax at `1`"]);
        check("rule", &["Syntax at `rule`"]);
        check("(|rule| true)", &["Syntax at `|rule|`"]);
    }
}
