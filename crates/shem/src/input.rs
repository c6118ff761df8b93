//! Texts from files and from standard input, plain or compressed.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::format::text_of_bytes;

/// The first bytes of a file compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The mark that some editors put before a text in UTF-8. It is no part of the text.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

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

/// An input: a text, or what has come of one and where the rest comes from.
pub(crate) enum Input {
    Whole(Vec<u8>),
    Stream(Vec<u8>, Box<dyn Read>),
}

/// Opens an input. Standard input is a stream, unless it is compressed; of it, only the first bytes are waited for.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    if path != Path::new("-") {
        return read(path).map(Input::Whole);
    }
    open_stream(Vec::new(), Box::new(io::stdin()))
}

/// An input of which this much was read.
pub(crate) fn open_stream(mut first: Vec<u8>, mut input: Box<dyn Read>) -> io::Result<Input> {
    // The longest mark has so many bytes.
    (&mut input).take(MARK.len().saturating_sub(first.len()) as u64).read_to_end(&mut first)?;
    if first.starts_with(&GZIP) {
        input.read_to_end(&mut first)?;
        return unpack(first).map(Input::Whole);
    }
    // A file in AIGER has no commands that could be answered before its end.
    if first.starts_with(b"aig") {
        input.read_to_end(&mut first)?;
        return unpack(first).map(Input::Whole);
    }
    Ok(Input::Stream(without_mark(first), input))
}

/// The text, decompressed if it was compressed, and without a mark.
fn unpack(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&GZIP) {
        return Ok(text_of_bytes(without_mark(bytes)));
    }
    let mut plain = Vec::new();
    MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
    Ok(text_of_bytes(without_mark(plain)))
}

fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(&MARK) {
        bytes.drain(..MARK.len());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn marks_are_no_text() {
        assert_eq!(unpack(b"\xef\xbb\xbf(exit)".to_vec()).expect("plain"), b"(exit)");
        for (text, rest) in
            [(&b"\xef\xbb\xbf(e"[..], &b"xit)"[..]), (b"\xef", b"\xbb\xbf(exit)"), (b"", b"(exit)")]
        {
            let opened = open_stream(text.to_vec(), Box::new(io::Cursor::new(rest.to_vec())));
            let Ok(Input::Stream(mut read, mut rest)) = opened else { panic!("a stream") };
            rest.read_to_end(&mut read).expect("memory is read");
            assert_eq!(read, b"(exit)");
        }
    }

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
