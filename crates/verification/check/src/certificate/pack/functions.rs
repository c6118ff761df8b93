//! Interpretations by recursive functions as text.
//!
//! Functions are named `f0`, `f1`, … in their order; sorts by their places among the parts of the sorts that the arguments
//! of the vertices have. The variables of a definition or a lemma are `x0`, `x1`, …; those of an edge are the variables
//! of its sources, one source after the other, and `y0`, `y1`, … of its target.
//!
//! ```text
//! functions 1 1
//! function 0 0 1 1 1
//! measure 0
//! (ite ((_ is c1.1) x0) (c1.1 (s1.1.0 x0) (f0 (s1.1.1 x0) x1)) x1)
//! lemma 1
//! measure 0
//! facts 2
//! (= (f0 x0 c1.0) x0)
//! unfold
//! (f0 x0 c1.0)
//! hypothesis 1
//! (s1.1.1 x0)
//! ```
//!
//! Behind the word `function` are the group, the rank, the sort of the result and those of the parameters. Formulas of vertices come
//! last, each as in a model, and then the facts of each edge.

use std::collections::BTreeMap;

use shem_chc::{EdgeId, Graph, Interpretation};
use shem_term::pack::{Formula, Naming};
use shem_term::{Sort, Store, Symbol, Term};

use super::{LIMITS, NONE, PackError, Reader, Writer};
use crate::certificate::{Fact, FunctionDefinition, FunctionModel, Lemma};

/// The sorts that functions may have: both sides find them in the same order.
fn known_sorts(store: &Store, graph: &Graph) -> Vec<Sort> {
    let mut sorts = vec![Sort::Bool, Sort::Int, Sort::Real];
    sorts.extend(graph.vertices().flat_map(|vertex| graph.vertex(vertex).sorts().iter().copied()));
    store.parts_of_sorts(&sorts)
}

/// Names over these variables.
struct Names {
    sorts: Vec<Sort>,
    functions: Vec<Symbol>,
}

impl Names {
    fn naming(&self, store: &mut Store, variables: &[Term], target: &[Term]) -> Naming {
        Naming::with_functions(store, variables, target, &self.sorts, &self.functions)
    }

    /// Names for the variables of the sources of an edge and of its target.
    fn of_edge(&self, store: &mut Store, graph: &Graph, id: EdgeId) -> Naming {
        let edge = graph.edge(id);
        let mut sources = Vec::new();
        for position in 0..edge.sources.len() {
            sources.extend_from_slice(graph.source_variables(edge, position));
        }
        self.naming(store, &sources, graph.vertex(edge.target).target())
    }
}

impl Writer<'_> {
    fn sorts(&mut self, names: &Names, word: &str, numbers: &[usize], sorts: &[Sort]) -> Option<()> {
        let place = |sort: &Sort| names.sorts.iter().position(|other| other == sort);
        let places: Option<Vec<usize>> = sorts.iter().map(place).collect();
        self.line(word, numbers.iter().copied().chain(places?));
        Some(())
    }

    fn facts(&mut self, naming: &Naming, facts: &[Fact]) -> Option<()> {
        self.line("facts", [facts.len()]);
        for fact in facts {
            let terms = match fact {
                Fact::Unfold(term) => {
                    self.line("unfold", []);
                    std::slice::from_ref(term)
                }
                Fact::Lemma(at, terms) => {
                    self.line("lemma", [*at, terms.len()]);
                    terms
                }
                Fact::Hypothesis(terms) => {
                    self.line("hypothesis", [terms.len()]);
                    terms
                }
            };
            self.formulas(naming, terms)?;
        }
        Some(())
    }

    pub(super) fn functions(&mut self, model: &FunctionModel) -> Option<()> {
        let FunctionModel { functions, lemmas, interpretation, edges } = model;
        let sorts = known_sorts(self.store, self.graph);
        let names = Names { sorts, functions: functions.iter().map(|f| f.symbol).collect() };
        self.line("functions", [functions.len(), lemmas.len()]);
        for function in functions {
            let signature = self.store.signature(function.symbol);
            let sorts: Vec<Sort> =
                [signature.result].into_iter().chain(signature.args.iter().copied()).collect();
            self.sorts(&names, "function", &[function.group, function.rank], &sorts)?;
        }
        for function in functions {
            self.line("measure", function.measure.iter().copied());
            let naming = names.naming(self.store, &function.parameters, &[]);
            self.formulas(&naming, &[function.body])?;
        }
        for lemma in lemmas {
            let sorts: Vec<Sort> = lemma.variables.iter().map(|&v| self.store.sort(v)).collect();
            self.sorts(&names, "lemma", &[], &sorts)?;
            self.line("measure", lemma.measure.iter().copied());
            let naming = names.naming(self.store, &lemma.variables, &[]);
            self.formulas(&naming, &[lemma.formula])?;
            self.facts(&naming, &lemma.facts)?;
        }
        for vertex in self.graph.vertices() {
            match interpretation.get(vertex) {
                None => self.line(NONE, []),
                Some(formula) => {
                    let naming = names.naming(self.store, self.graph.vertex(vertex).state(), &[]);
                    self.formulas(&naming, &[formula])?;
                }
            }
        }
        for (id, _) in self.graph.edges() {
            let naming = names.of_edge(self.store, self.graph, id);
            self.facts(&naming, edges.get(&id).map_or(&[], Vec::as_slice))?;
        }
        Some(())
    }
}

impl Reader<'_, '_> {
    fn term(&mut self, naming: &mut Naming) -> Result<Term, PackError> {
        let line = self.next_line()?;
        self.read_term(naming, line)
    }

    fn read_term(&mut self, naming: &mut Naming, line: &str) -> Result<Term, PackError> {
        self.budget.check_stop().map_err(|_| self.error("there is no time to read on"))?;
        let text = Formula::new(line, LIMITS).map_err(|_| self.error("no term within the limits"))?;
        let term = naming.import_term(self.store, &text);
        let term = term.filter(|&term| !self.store.has_quantifier(term));
        term.ok_or(self.error("a term over other variables"))
    }

    fn terms(&mut self, naming: &mut Naming, count: usize) -> Result<Vec<Term>, PackError> {
        (0..count).map(|_| self.term(naming)).collect()
    }

    fn facts(&mut self, naming: &mut Naming) -> Result<Vec<Fact>, PackError> {
        let [count] = self.exactly("facts")?;
        let mut facts = Vec::new();
        for _ in 0..count {
            let mut words = self.next_line()?.split(' ');
            let word = words.next();
            let numbers = self.numbers(words)?;
            facts.push(match (word, &numbers[..]) {
                (Some("unfold"), []) => Fact::Unfold(self.term(naming)?),
                (Some("lemma"), &[at, count]) => Fact::Lemma(at, self.terms(naming, count)?),
                (Some("hypothesis"), &[count]) => Fact::Hypothesis(self.terms(naming, count)?),
                _ => return Err(self.error("no fact")),
            });
        }
        Ok(facts)
    }

    /// Variables of the sorts at these places.
    fn variables(&mut self, names: &Names, places: &[usize]) -> Result<Vec<Term>, PackError> {
        let mut variables = Vec::new();
        for &place in places {
            let sort = self.at(&names.sorts, place)?;
            variables.push(self.store.variable("x", sort));
        }
        Ok(variables)
    }

    pub(super) fn functions<'w>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
    ) -> Result<FunctionModel, PackError> {
        let &[count, lemma_count] = &self.numbers(words)?[..] else {
            return Err(self.error("no number of functions"));
        };
        let mut names = Names { sorts: known_sorts(self.store, self.graph), functions: Vec::new() };
        let mut heads = Vec::new();
        for at in 0..count {
            let numbers = self.numbers_of("function")?;
            let [group, rank, result, parameters @ ..] = &numbers[..] else {
                return Err(self.error("no signature of a function"));
            };
            let parameters = self.variables(&names, parameters)?;
            let sorts: Vec<Sort> = parameters.iter().map(|&p| self.store.sort(p)).collect();
            let result = self.at(&names.sorts, *result)?;
            let symbol = self.store.declare(&format!("function#{at}"), &sorts, result);
            names.functions.push(symbol);
            heads.push(([*group, *rank], symbol, parameters));
        }
        let mut functions = Vec::new();
        for ([group, rank], symbol, parameters) in heads {
            let measure = self.numbers_of("measure")?;
            let mut naming = names.naming(self.store, &parameters, &[]);
            let body = self.term(&mut naming)?;
            functions.push(FunctionDefinition { symbol, parameters, body, group, measure, rank });
        }
        let mut lemmas = Vec::new();
        for _ in 0..lemma_count {
            let places = self.numbers_of("lemma")?;
            let variables = self.variables(&names, &places)?;
            let measure = self.numbers_of("measure")?;
            let mut naming = names.naming(self.store, &variables, &[]);
            let formula = self.term(&mut naming)?;
            let facts = self.facts(&mut naming)?;
            lemmas.push(Lemma { variables, formula, measure, facts });
        }
        let mut interpretation = Interpretation::new();
        for vertex in self.vertices.clone() {
            let line = self.next_line()?;
            if line != NONE {
                let state = self.graph.vertex(vertex).state();
                let mut naming = names.naming(self.store, state, &[]);
                let formula = self.read_term(&mut naming, line)?;
                if self.store.sort(formula) != Sort::Bool {
                    return Err(self.error("no formula"));
                }
                interpretation.insert(vertex, formula);
            }
        }
        let mut edges = BTreeMap::new();
        for id in self.edges.clone() {
            let mut naming = names.of_edge(self.store, self.graph, id);
            edges.insert(id, self.facts(&mut naming)?);
        }
        Ok(FunctionModel { functions, lemmas, interpretation, edges })
    }
}
