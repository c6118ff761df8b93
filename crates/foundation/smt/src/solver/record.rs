//! Query traces: what a solver is asked, as an SMT-LIB script that anyone can replay.
//!
//! Declarations are global and every assertion is named, so that an unsatisfiable check of the trace is an
//! interpolation problem, too. A template is a function definition, an instance its application. The answer
//! stands before each check as `(set-info :status …)`.

use std::fmt::Write as _;
use std::io::Write;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::Lit;
use shem_term::{Sort, Store, Substitution, Symbol, Term, quote_symbol};

use super::answer::Status;
use super::instance::Variable;
use super::observer::QueryObserver;
use crate::cnf::Template;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// An observer that writes the queries of a solver to an output.
pub struct Recorder {
    out: Box<dyn Write + Send>,
    /// The first failure of the output; nothing is written after it.
    failure: Option<std::io::Error>,
    /// The variable under whose name a symbol is printed: itself, unless the name was taken.
    printed: Map<Symbol, Symbol>,
    taken: HashSet<String>,
    names: Map<Variable, String>,
    templates: Map<Term, (String, Vec<Sort>)>,
    fresh: usize,
    assertions: usize,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("assertions", &self.assertions).finish_non_exhaustive()
    }
}

impl Recorder {
    /// A recorder that writes to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Recorder {
        let mut recorder = Recorder {
            out,
            failure: None,
            printed: Map::default(),
            taken: HashSet::new(),
            names: Map::default(),
            templates: Map::default(),
            fresh: 0,
            assertions: 0,
        };
        recorder.line("(set-option :global-declarations true)\n(set-logic ALL)");
        recorder
    }

    /// The first failure of the output, if there was one.
    pub fn failure(&self) -> Option<&std::io::Error> {
        self.failure.as_ref()
    }

    fn line(&mut self, text: &str) {
        if self.failure.is_none()
            && let Err(error) = writeln!(self.out, "{text}")
        {
            self.failure = Some(error);
        }
    }

    fn fresh_name(&mut self, prefix: &str) -> String {
        loop {
            self.fresh += 1;
            let name = format!("{prefix}!{}", self.fresh);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Declares the symbol if it is new; returns the symbol under whose name it is printed.
    fn declare(&mut self, store: &mut Store, symbol: Symbol) -> Symbol {
        if let Some(&printed) = self.printed.get(&symbol) {
            return printed;
        }
        let signature = store.signature(symbol).clone();
        let printed = if self.taken.insert(signature.name.to_string()) {
            symbol
        } else {
            let name = self.fresh_name(&signature.name);
            store.declare(&name, &signature.args, signature.result)
        };
        let args: Vec<String> =
            signature.args.iter().map(|&sort| store.display_sort(sort).to_string()).collect();
        let result = store.display_sort(signature.result).to_string();
        let name = quote_symbol(store.name(printed)).into_owned();
        self.line(&format!("(declare-fun {name} ({}) {})", args.join(" "), result));
        self.printed.insert(symbol, printed);
        printed
    }

    /// The term in the names of the script, its variables declared.
    fn render(&mut self, store: &mut Store, term: Term) -> String {
        let mut renaming = Substitution::new();
        for variable in store.free_variables(&[term]) {
            let symbol = store.as_var(variable).expect("a variable");
            let printed = self.declare(store, symbol);
            if printed != symbol {
                let printed = store.var(printed);
                renaming.insert(symbol, printed);
            }
        }
        let renamed = self.declare_functions(store, term);
        let term = store.substitute(term, &renaming);
        display_renamed(store, term, &renamed)
    }

    /// Declares the functions that are applied in the term; gives those that are printed under another name.
    fn declare_functions(&mut self, store: &mut Store, term: Term) -> Vec<(Symbol, String)> {
        let mut renamed = Vec::new();
        for symbol in store.predicates(&[term]) {
            let printed = self.declare(store, symbol);
            if printed != symbol {
                renamed.push((symbol, quote_symbol(store.name(printed)).into_owned()));
            }
        }
        renamed
    }

    fn named_assertion(&mut self, formula: &str) {
        self.assertions += 1;
        let name = self.fresh_name("assertion");
        self.line(&format!("(assert (! {formula} :named {name}))"));
    }

    fn name(&self, variable: Variable) -> String {
        if let Some(name) = self.names.get(&variable) {
            return name.clone();
        }
        match variable {
            Variable::Bool(lit) if !lit.is_positive() => format!("(not {})", self.name(Variable::Bool(!lit))),
            _ => panic!("a variable of the solver is named when it is made"),
        }
    }

    /// Writes the formula as a function of its formals and of its other variables, which are fresh in each
    /// instance. The parameters get names of their own.
    fn define_template(&mut self, store: &mut Store, template: &Template) {
        let formula = template.formula();
        let mut parameters: Vec<Term> = template.formals().to_vec();
        let locals: Vec<Term> =
            store.free_variables(&[formula]).into_iter().filter(|v| !parameters.contains(v)).collect();
        parameters.extend_from_slice(&locals);
        let mut renaming = Substitution::new();
        let mut header = String::new();
        for (i, &parameter) in parameters.iter().enumerate() {
            let sort = store.sort(parameter);
            let fresh = store.variable(&format!("p!{i}"), sort);
            renaming.insert(store.as_var(parameter).expect("a variable"), fresh);
            let space = if i == 0 { "" } else { " " };
            let _ = write!(header, "{space}(p!{i} {})", store.display_sort(sort));
        }
        let renamed = self.declare_functions(store, formula);
        let body = store.substitute(formula, &renaming);
        let body = display_renamed(store, body, &renamed);
        let name = self.fresh_name("template");
        self.line(&format!("(define-fun {name} ({header}) Bool {body})"));
        let sorts = locals.iter().map(|&v| store.sort(v)).collect();
        self.templates.insert(formula, (name, sorts));
    }
}

/// The term with other names for some functions.
fn display_renamed(store: &Store, term: Term, renamed: &[(Symbol, String)]) -> String {
    let text = |symbol| renamed.iter().find(|entry| entry.0 == symbol).map(|entry| entry.1.as_str());
    store.display(term).with_symbols(&text).to_string()
}

impl QueryObserver for Recorder {
    fn push(&mut self) {
        self.line("(push 1)");
    }

    fn pop(&mut self) {
        self.line("(pop 1)");
    }

    fn assert(&mut self, store: &mut Store, formula: Term) {
        let text = self.render(store, formula);
        self.named_assertion(&text);
    }

    fn assert_guarded(&mut self, store: &mut Store, guard: Lit, formula: Term) {
        let guard = self.name(Variable::Bool(guard));
        let text = self.render(store, formula);
        self.named_assertion(&format!("(=> {guard} {text})"));
    }

    fn declare_fresh(&mut self, variable: Variable, sort: &str) {
        let name = self.fresh_name("v");
        self.line(&format!("(declare-fun {name} () {sort})"));
        self.names.insert(variable, name);
    }

    fn name_variable(&mut self, store: &mut Store, symbol: Symbol, variable: Variable) {
        let printed = self.declare(store, symbol);
        let name = quote_symbol(store.name(printed)).into_owned();
        self.names.insert(variable, name);
    }

    /// The symbol is printed as the variable is.
    fn adopt(&mut self, store: &mut Store, symbol: Symbol, variable: Variable) {
        if let Some(name) = self.names.get(&variable) {
            let signature = store.signature(symbol).clone();
            let printed = store.declare(name, &signature.args, signature.result);
            self.printed.insert(symbol, printed);
        }
    }

    fn instantiate(&mut self, store: &mut Store, template: &Template, actuals: &[Variable]) {
        let formula = template.formula();
        if !self.templates.contains_key(&formula) {
            self.define_template(store, template);
        }
        let (name, locals) = self.templates[&formula].clone();
        let mut call = format!("({name}");
        for &actual in actuals {
            let _ = write!(call, " {}", self.name(actual));
        }
        for sort in locals {
            let local = self.fresh_name("v");
            self.line(&format!("(declare-fun {local} () {})", store.display_sort(sort)));
            let _ = write!(call, " {local}");
        }
        call.push(')');
        // A function without parameters is called without parentheses.
        let call = if call == format!("({name})") { name } else { call };
        self.named_assertion(&call);
    }

    fn check(&mut self, store: &mut Store, guards: &[Lit], assumptions: &[Term], status: Status) {
        let mut literals: Vec<String> = guards.iter().map(|&g| self.name(Variable::Bool(g))).collect();
        for &assumption in assumptions {
            let text = self.render(store, assumption);
            if store.as_var(assumption).is_some() {
                literals.push(text);
            } else {
                let proxy = self.fresh_name("assumption");
                self.line(&format!("(declare-fun {proxy} () Bool)\n(assert (=> {proxy} {text}))"));
                literals.push(proxy);
            }
        }
        self.line(&format!("(set-info :status {status})"));
        if literals.is_empty() {
            self.line("(check-sat)");
        } else {
            self.line(&format!("(check-sat-assuming ({}))", literals.join(" ")));
        }
    }
}
