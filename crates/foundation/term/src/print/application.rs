//! Printing of applications, by the role of the symbol.

use std::borrow::Cow;
use std::fmt;

use super::term::{Job, Printer};
use crate::sort::Constructor;
use crate::symbol::{Role, Symbol};
use crate::term::Term;

impl Printer<'_> {
    /// An application, with `as` or `_` at its head where the role asks for it.
    pub(super) fn application(
        &mut self,
        symbol: Symbol,
        args: &[Term],
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let store = self.store;
        let result = store.signature(symbol).result;
        let name = self.symbol(symbol);
        // Whoever gives a symbol another text means that symbol and no other.
        if let Some(text) = self.symbols.and_then(|text| text(symbol)) {
            if args.is_empty() {
                return out.write_str(text);
            }
            write!(out, "({text}")?;
            self.arguments(args.iter().copied());
            return Ok(());
        }
        let qualified = || Cow::from(format!("(as {name} {})", store.display_sort(result)));
        // Where a parametric datatype has several instances, some readers cannot tell testers apart by arguments.
        if let Role::Tester { datatype, constructor } = store.role(symbol)
            && (!self.testers || !store.datatype(datatype).arguments().is_empty())
        {
            return self.rebuilt(
                &store.datatype(datatype).constructors()[constructor as usize],
                args[0],
                out,
            );
        }
        if let Role::Bits(op) = store.role(symbol) {
            return self.bits(op, args, result, out);
        }
        let head = match store.role(symbol) {
            Role::ConstantArray => qualified(),
            Role::Constructor { .. } if store.constructor(symbol).qualified => qualified(),
            Role::Tester { datatype, constructor } => {
                let constructor = &store.datatype(datatype).constructors()[constructor as usize];
                format!("(_ is {})", self.symbol(constructor.symbol)).into()
            }
            _ => name,
        };
        if args.is_empty() {
            return out.write_str(&head);
        }
        write!(out, "({head}")?;
        self.arguments(args.iter().copied());
        Ok(())
    }

    /// The equality of a term and its fields under the constructor, which says that it is made by the constructor.
    fn rebuilt(
        &mut self,
        constructor: &Constructor,
        term: Term,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        out.write_str("(=")?;
        let head = self.symbol(constructor.symbol).into_owned();
        let head = match constructor.qualified {
            true => format!("(as {head} {})", self.store.display_sort(self.store.sort(term))),
            false => head,
        };
        if constructor.selectors.is_empty() {
            self.jobs.push(Job::Close(1));
            self.jobs.push(Job::Owned(format!(" {head}")));
            self.jobs.push(Job::Spaced(term));
            return Ok(());
        }
        self.jobs.push(Job::Close(2));
        for &selector in constructor.selectors.iter().rev() {
            self.jobs.push(Job::Close(1));
            self.jobs.push(Job::Spaced(term));
            self.jobs.push(Job::Owned(format!(" ({}", self.symbol(selector))));
        }
        self.jobs.push(Job::Owned(format!(" ({head}")));
        self.jobs.push(Job::Spaced(term));
        Ok(())
    }
}
