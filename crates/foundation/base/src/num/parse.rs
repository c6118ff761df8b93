//! Reading numbers from text.

use std::fmt;
use std::str::FromStr;

use super::big::BigInt;
use super::{Int, Rat};

/// The text is not a number of the form that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseNumberError;

impl fmt::Display for ParseNumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number")
    }
}

impl std::error::Error for ParseNumberError {}

/// Reads decimal digits, of which there must be at least one and nothing else.
fn parse_digits(digits: &str) -> Result<Int, ParseNumberError> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseNumberError);
    }
    if digits.len() <= 18 {
        return digits.parse::<i64>().map(Int::from).map_err(|_| ParseNumberError);
    }
    BigInt::from_digits(digits).map(Int::from_big).ok_or(ParseNumberError)
}

/// Takes the sign off: the rest, and whether there was one.
fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

impl FromStr for Int {
    type Err = ParseNumberError;

    /// Reads decimal digits after an optional `-`.
    fn from_str(text: &str) -> Result<Int, ParseNumberError> {
        let (negative, digits) = split_sign(text);
        let magnitude = parse_digits(digits)?;
        Ok(if negative { -magnitude } else { magnitude })
    }
}

impl FromStr for Rat {
    type Err = ParseNumberError;

    /// Reads what [`Display`](fmt::Display) writes: an integer, or two separated by `/`, the second positive
    /// and without a sign. The fraction need not be in lowest terms.
    fn from_str(text: &str) -> Result<Rat, ParseNumberError> {
        let Some((numer, denom)) = text.split_once('/') else {
            return text.parse::<Int>().map(Rat::from);
        };
        let denom = parse_digits(denom)?;
        if denom.is_zero() {
            return Err(ParseNumberError);
        }
        Ok(Rat::new(numer.parse::<Int>()?, denom))
    }
}

impl Rat {
    /// Reads a decimal such as `12.50`, `7` or `-0.125`: digits, and optionally a point and more digits, after
    /// an optional `-`.
    pub fn parse_decimal(text: &str) -> Result<Rat, ParseNumberError> {
        let (negative, magnitude) = split_sign(text);
        let value = match magnitude.split_once('.') {
            None => Rat::from(parse_digits(magnitude)?),
            Some((whole, fraction)) => {
                let places = u32::try_from(fraction.len()).map_err(|_| ParseNumberError)?;
                let scale = Int::from(10).pow(places);
                let mut numer = parse_digits(whole)? * &scale;
                numer += &parse_digits(fraction)?;
                Rat::new(numer, scale)
            }
        };
        Ok(if negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for text in ["0", "7", "-7", "127", "-128", "9223372036854775807", "-9223372036854775808"] {
            assert_eq!(text.parse::<Int>().unwrap().to_string(), text);
        }
        let long = "123456789".repeat(20);
        assert_eq!(long.parse::<Int>().unwrap().to_string(), long);
        assert_eq!("-0".parse::<Int>().unwrap(), Int::ZERO);
        assert_eq!("000000000000000000000000005".parse::<Int>().unwrap(), Int::from(5));
        for text in ["", "-", "+1", "1_0", "--1", " 1", "1 ", "0x1", "1.", "٣"] {
            assert!(text.parse::<Int>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn fractions() {
        assert_eq!("6/4".parse::<Rat>().unwrap(), Rat::new(3, 2));
        assert_eq!("-6/3".parse::<Rat>().unwrap(), Rat::from(-2));
        for text in ["1/0", "1/-2", "/2", "1/", "1/2/3"] {
            assert!(text.parse::<Rat>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn decimals() {
        assert_eq!(Rat::parse_decimal("12.50").unwrap(), Rat::new(25, 2));
        assert_eq!(Rat::parse_decimal("-0.125").unwrap(), Rat::new(-1, 8));
        assert_eq!(Rat::parse_decimal("3").unwrap(), Rat::from(3));
        assert_eq!(Rat::parse_decimal("0.0").unwrap(), Rat::ZERO);
        let tiny = format!("0.{}1", "0".repeat(30));
        assert_eq!(Rat::parse_decimal(&tiny).unwrap(), Rat::new(1, Int::from(10).pow(31)));
        for text in ["", ".", "1.", ".5", "1.2.3", "1e5", "1.-2"] {
            assert!(Rat::parse_decimal(text).is_err(), "{text:?}");
        }
    }
}
