//! Bit-vectors as they are written: literals, and the sorts of operations.
//!
//! The name of a literal is its bits, `#b0101`, however it was written: the checker takes all forms for the same. The name of
//! an indexed operation is all of it, `(_ extract 7 0)`; no declared symbol has such a name.

use shem_base::{BitVec, Int};

use super::terms::Sort;

/// The most bits of a sort.
const WIDEST: u32 = 65_536;

/// The name of a literal.
pub(crate) fn literal_name(value: &BitVec) -> String {
    let bits = (0..value.width()).rev().map(|place| if value.bit(place) { '1' } else { '0' });
    "#b".chars().chain(bits).collect()
}

/// The value of the literal with this name.
pub(crate) fn literal(name: &str) -> Option<BitVec> {
    BitVec::from_digits(name.strip_prefix("#b")?, 1)
}

/// The literal that a number and a width stand for: `(_ bv5 8)`.
pub(crate) fn numbered_literal(name: &str, width: &str) -> Option<BitVec> {
    let number: Int = name.strip_prefix("bv")?.parse().ok()?;
    Some(BitVec::from_int(width.parse().ok().filter(|width| (1..=WIDEST).contains(width))?, &number))
}

/// A width that is written as a numeral.
pub(crate) fn width(text: &str) -> Option<Sort> {
    text.parse().ok().and_then(width_sort)
}

fn width_sort(width: u32) -> Option<Sort> {
    (1..=WIDEST).contains(&width).then_some(Sort::BitVec(width))
}

/// The name of an indexed operation.
pub(crate) fn indexed_name(operator: &str, indices: &[&str]) -> String {
    format!("(_ {operator} {})", indices.join(" "))
}

/// The operator of an indexed name and its indices.
pub(crate) fn indexed(name: &str) -> Option<(&str, Vec<u32>)> {
    let (operator, indices) = name.strip_prefix("(_ ")?.strip_suffix(')')?.split_once(' ')?;
    Some((operator, indices.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?))
}

/// Whether no declared symbol may have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.starts_with("(_ ") || name.starts_with("#b")
}

/// The sort of an operation on bit-vectors that is applied to terms of these sorts.
pub(crate) fn operation_sort(name: &str, args: &[Sort]) -> Option<Sort> {
    if let Some(value) = literal(name) {
        return args.is_empty().then_some(Sort::BitVec(value.width()));
    }
    let widths: Vec<u32> = args
        .iter()
        .map_while(|sort| match sort {
            Sort::BitVec(width) => Some(*width),
            _ => None,
        })
        .collect();
    if let Some((operator, indices)) = indexed(name) {
        return match (operator, &indices[..], &widths[..], args) {
            ("int_to_bv" | "int2bv", &[width], [], [Sort::Int]) => width_sort(width),
            ("extract", &[high, low], &[width], _) if low <= high && high < width => {
                width_sort(high - low + 1)
            }
            ("zero_extend" | "sign_extend", &[more], &[width], _) => width_sort(width.checked_add(more)?),
            ("repeat", &[times], &[width], _) => width_sort(width.checked_mul(times)?),
            ("rotate_left" | "rotate_right", [_], &[width], _) => width_sort(width),
            _ => None,
        };
    }
    if widths.len() != args.len() {
        return None;
    }
    match (name, &widths[..]) {
        ("concat", [_, _, ..]) => {
            width_sort(widths.iter().try_fold(0, |sum: u32, &width| sum.checked_add(width))?)
        }
        ("bvnot" | "bvneg", &[width]) => width_sort(width),
        ("bvand" | "bvor" | "bvxor" | "bvxnor" | "bvadd" | "bvmul", &[width, _, ..]) => width_sort(width),
        (
            "bvnand" | "bvnor" | "bvsub" | "bvudiv" | "bvurem" | "bvsdiv" | "bvsrem" | "bvsmod",
            &[width, _],
        )
        | ("bvshl" | "bvlshr" | "bvashr", &[width, _]) => width_sort(width),
        ("bvcomp", [_, _]) => width_sort(1),
        ("bvult" | "bvule" | "bvugt" | "bvuge" | "bvslt" | "bvsle" | "bvsgt" | "bvsge", [_, _])
        | ("bvuaddo" | "bvsaddo" | "bvumulo" | "bvsmulo" | "bvusubo" | "bvssubo" | "bvsdivo", [_, _])
        | ("bvnego", [_]) => Some(Sort::Bool),
        ("ubv_to_int" | "sbv_to_int" | "bv2nat", [_]) => Some(Sort::Int),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sorts() {
        let five = numbered_literal("bv5", "4").expect("a literal");
        assert_eq!(literal_name(&five), "#b0101");
        assert_eq!(literal("#b0101"), Some(five));
        assert_eq!(numbered_literal("bv5", "0"), None);
        let bits = Sort::BitVec;
        let sort = |name: &str, args: &[u32]| {
            operation_sort(name, &args.iter().map(|&width| bits(width)).collect::<Vec<_>>())
        };
        assert_eq!(sort("#b01", &[]), Some(bits(2)));
        assert_eq!(sort(&indexed_name("extract", &["6", "2"]), &[7]), Some(bits(5)));
        assert_eq!(sort("(_ extract 7 2)", &[7]), None);
        assert_eq!(sort("(_ repeat 4294967295)", &[7]), None);
        assert_eq!(sort("concat", &[7, 1, 2]), Some(bits(10)));
        assert_eq!(sort("bvnand", &[7, 7]), Some(bits(7)));
        assert_eq!(sort("bvsle", &[7, 7]), Some(Sort::Bool));
        assert_eq!(operation_sort("bvadd", &[bits(1), Sort::Int]), None);
        assert_eq!(operation_sort("(_ int_to_bv 3)", &[Sort::Int]), Some(bits(3)));
    }
}
