//! The address of a broker and of a run: `redis://[USER[:PASSWORD]@]HOST[:PORT]/NAME`, or `rediss://` for TLS.
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
#[cfg(feature = "redis")]
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
    #[cfg(feature = "redis")]
    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |what: &str| format!("--join takes redis://HOST/NAME or rediss://HOST/NAME: {what}");
        let url = url::Url::parse(text).map_err(|error| match error {
            url::ParseError::EmptyHost => wrong("the host is missing"),
            url::ParseError::InvalidPort => wrong("the port is no number"),
            other => wrong(&other.to_string()),
        })?;
        let tls = match url.scheme() {
            "redis" => false,
            "rediss" => true,
            _ => return Err(wrong("another scheme")),
        };
        let run = url.path().strip_prefix('/').ok_or_else(|| wrong("the name of the run is missing"))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let more = url.query().is_some() || url.fragment().is_some();
        if run.is_empty() || run.len() > 100 || more || !run.chars().all(plain) {
            return Err(wrong("a name has letters, digits, points, hyphens and underscores"));
        }
        // The colons of an IPv6 address stand between brackets.
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(wrong("the host is missing"));
        }
        let user = part(url.username()).map_err(wrong)?;
        let password = part(url.password().unwrap_or_default()).map_err(wrong)?;
        let (host, port) = (host.to_owned(), url.port().unwrap_or(PORT));
        Ok(Address { tls, host, port, run: run.to_owned(), user, password })
    }

    /// There is no broker in this build.
    #[cfg(not(feature = "redis"))]
    fn from_str(_: &str) -> Result<Address, String> {
        Err("this program was built without the feature redis".to_owned())
    }
}

/// A part of the credentials, with `%XX` for special characters; `None` if it is empty.
#[cfg(feature = "redis")]
fn part(text: &str) -> Result<Option<String>, &'static str> {
    let is_code = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if text.split('%').skip(1).any(|rest| !is_code(rest)) {
        return Err("a percent sign is followed by two digits");
    }
    let text = percent_encoding::percent_decode_str(text).decode_utf8();
    let text = text.map_err(|_| "the credentials are no text")?;
    Ok((!text.is_empty()).then(|| text.into_owned()))
}

#[cfg(all(test, feature = "redis"))]
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
