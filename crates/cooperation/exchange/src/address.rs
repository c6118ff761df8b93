//! Where a run meets: `redis://[USER[:PASSWORD]@]HOST[:PORT]/NAME`, or `rediss://` for TLS.
//!
//! Credentials may stand in the address or in the environment ([`USER`], [`PASSWORD`]). They are never printed: the
//! only text that an [`Address`] gives of itself leaves them out.

use std::fmt;
use std::str::FromStr;

/// The environment variable with the user's name.
pub const USER: &str = "SHEM_JOIN_USER";
/// The environment variable with the password.
pub const PASSWORD: &str = "SHEM_JOIN_PASSWORD";

/// The port of a Redis server, unless told otherwise.
const PORT: u16 = 6379;

/// The address of a broker and the name of a run.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The name of the run.
    pub run: String,
    user: Option<String>,
    password: Option<String>,
}

impl Address {
    /// The user's name and the password, from the address or else from the environment.
    pub fn credentials(&self) -> (Option<String>, Option<String>) {
        let from = |own: &Option<String>, name: &str| own.clone().or_else(|| std::env::var(name).ok());
        (from(&self.user, USER), from(&self.password, PASSWORD))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "rediss" } else { "redis" };
        write!(f, "{scheme}://{}:{}/{}", self.host, self.port, self.run)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl FromStr for Address {
    type Err = String;

    /// Reads an address. The error does not repeat it, since there may be a password in it.
    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |what: &str| format!("--join takes redis://HOST/NAME or rediss://HOST/NAME: {what}");
        let (tls, rest) = match (text.strip_prefix("redis://"), text.strip_prefix("rediss://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err(wrong("another scheme")),
        };
        let (authority, run) = rest.split_once('/').ok_or_else(|| wrong("the name of the run is missing"))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if run.is_empty() || run.len() > 100 || !run.chars().all(plain) {
            return Err(wrong("a name has letters, digits, points, hyphens and underscores"));
        }
        let (credentials, place) = match authority.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials), place),
            None => (None, authority),
        };
        let (user, password) = match credentials.map(|c| c.split_once(':').unwrap_or((c, ""))) {
            None => (None, None),
            Some((user, password)) => (part(user).map_err(wrong)?, part(password).map_err(wrong)?),
        };
        let (host, port) = match place.rsplit_once(':') {
            // The colons of an IPv6 address stand between brackets.
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().map_err(|_| wrong("the port is no number"))?)
            }
            _ => (place, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(wrong("the host is missing"));
        }
        Ok(Address { tls, host: host.to_owned(), port, run: run.to_owned(), user, password })
    }
}

/// A part of the credentials, with `%XX` for special characters.
fn part(text: &str) -> Result<Option<String>, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.ok_or("a percent sign is followed by two digits")?);
        rest = &rest[2..];
    }
    let text = String::from_utf8(bytes).map_err(|_| "the credentials are no text")?;
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_credentials_kept() {
        let address: Address = "rediss://me:s%65cret%2F@broker.example:7000/run-1".parse().unwrap();
        assert_eq!(address.credentials(), (Some("me".to_owned()), Some("secret/".to_owned())));
        assert_eq!(address.to_string(), "rediss://broker.example:7000/run-1");
        assert!(!format!("{address:?}").contains("cret"));
        let address: Address = "redis://[::1]/x".parse().unwrap();
        assert_eq!((&*address.host, address.port, address.tls), ("::1", PORT, false));
        let address: Address = "redis://:pw@host/x".parse().unwrap();
        assert_eq!((address.user.as_deref(), address.password.as_deref()), (None, Some("pw")));
    }

    #[test]
    fn mistakes_do_not_tell_passwords() {
        for text in [
            "nats://me:secret@host/x",
            "redis://me:secret@host",
            "redis://me:secret@host/",
            "redis://me:secret@host/a b",
            "redis://me:secret@/x",
            "redis://me:secret@host:many/x",
            "redis://me:secret%2@host/x",
            "redis://me:secret%zz@host/x",
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.starts_with("--join takes") && !error.contains("secret"), "{error}");
        }
    }
}
