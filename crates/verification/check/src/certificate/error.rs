//! Why a certificate is not accepted.

use std::borrow::Cow;
use std::fmt;

use shem_base::UnknownReason;

/// Why a certificate was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// A limit was reached, or a query could not be decided: the certificate may be right.
    Unknown(UnknownReason),
    /// The certificate does not show what it is to show; the words say what does not hold.
    Wrong(Cow<'static, str>),
}

impl CertificateError {
    /// The certificate is wrong.
    pub fn wrong(what: impl Into<Cow<'static, str>>) -> CertificateError {
        CertificateError::Wrong(what.into())
    }
}

impl From<UnknownReason> for CertificateError {
    fn from(reason: UnknownReason) -> CertificateError {
        CertificateError::Unknown(reason)
    }
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Unknown(reason) => reason.fmt(f),
            CertificateError::Wrong(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for CertificateError {}
