//! Printing of sorts, without recursion.

use std::fmt;

use super::symbol::quote_symbol;
use crate::sort::Sort;
use crate::store::Store;

/// Prints a sort; made by [`Store::display_sort`].
#[derive(Clone, Copy)]
pub struct DisplaySort<'a> {
    store: &'a Store,
    sort: Sort,
}

impl Store {
    /// The sort in SMT-LIB syntax.
    pub fn display_sort(&self, sort: Sort) -> DisplaySort<'_> {
        DisplaySort { store: self, sort }
    }

    /// The sort in SMT-LIB syntax for messages: cut where it is long.
    pub(crate) fn sort_text(&self, sort: Sort) -> String {
        let mut text = Cut(String::new());
        if fmt::Write::write_fmt(&mut text, format_args!("{}", self.display_sort(sort))).is_err() {
            text.0.push('…');
        }
        text.0
    }
}

/// Takes the beginning of a text, and no more.
struct Cut(String);

impl fmt::Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if self.0.len() >= 100 {
                return Err(fmt::Error);
            }
            self.0.push(character);
        }
        Ok(())
    }
}

impl fmt::Display for DisplaySort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What is left to write.
        enum Job {
            Sort(Sort),
            Spaced(Sort),
            Close,
        }
        let mut jobs = vec![Job::Sort(self.sort)];
        while let Some(job) = jobs.pop() {
            let sort = match job {
                Job::Close => {
                    f.write_str(")")?;
                    continue;
                }
                Job::Spaced(sort) => {
                    f.write_str(" ")?;
                    sort
                }
                Job::Sort(sort) => sort,
            };
            match sort {
                Sort::Bool => f.write_str("Bool")?,
                Sort::Int => f.write_str("Int")?,
                Sort::Real => f.write_str("Real")?,
                Sort::Array(_) => {
                    f.write_str("(Array")?;
                    jobs.push(Job::Close);
                    if let Some((index, element)) = self.store.array_parts(sort) {
                        jobs.push(Job::Spaced(element));
                        jobs.push(Job::Spaced(index));
                    }
                }
                Sort::BitVec(_) => write!(f, "(_ BitVec {})", sort.bit_width().unwrap_or(0))?,
                Sort::Datatype(_) | Sort::Declared(_) => match self.store.sort_name(sort) {
                    Some((name, [])) => f.write_str(&quote_symbol(name))?,
                    Some((name, arguments)) => {
                        write!(f, "({}", quote_symbol(name))?;
                        jobs.push(Job::Close);
                        jobs.extend(arguments.iter().rev().map(|&argument| Job::Spaced(argument)));
                    }
                    None => {}
                },
            }
        }
        Ok(())
    }
}
