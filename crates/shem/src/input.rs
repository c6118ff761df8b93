//! Texts from files and from standard input, plain or compressed.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// The first bytes of a file compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The name of an input in messages.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() }
}

/// The whole input; `-` is standard input. What was compressed by gzip comes back plain.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(path)?;
    }
    unpack(bytes)
}

/// The first bytes of standard input, exactly so many; the rest stays there to be read.
pub(crate) fn read_first(bytes: u64) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    io::stdin().lock().take(bytes).read_to_end(&mut first)?;
    unpack(first)
}

/// The bytes, decompressed if they were compressed.
fn unpack(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn compressed_texts_are_unpacked() {
        let text = b"(check-sat)\n".repeat(1000);
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&text).expect("memory takes all that is written");
        let packed = encoder.finish().expect("memory takes all that is written");
        assert_eq!(unpack(packed.clone()).expect("good gzip"), text);
        assert_eq!(unpack(text.clone()).expect("plain"), text);
        let mut twice = packed.clone();
        twice.extend(&packed);
        assert_eq!(unpack(twice).expect("two members").len(), 2 * text.len());
        for end in [2, 5, packed.len() / 2, packed.len() - 1] {
            assert!(unpack(packed[..end].to_vec()).is_err(), "cut at {end}");
        }
    }
}
