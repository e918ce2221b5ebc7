//! Reading inputs: files, standard input, and documents too large to hold.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use unbake::{
    Context, Decision, DecodeError, Decoded, Encoding, Format, Malformed, Progress, Stream, decode,
    sniff,
};
use unbake_io::{path_text, sidecar_content_types};

use crate::Outcome;
use crate::messages::{CliError, Exit, quoted};

/// Up to this size a document is held and decoded whole; larger ones are streamed.
const WHOLE: usize = 8 << 20;
/// How much undeclared input is kept on disk, waiting for its end: 8 GiB.
const SPOOL_LIMIT: u64 = 8 << 30;
/// The chunks of a streamed document.
const CHUNK: usize = 256 << 10;
/// The longest document that is held whole, for the commands that need all of it: 1 GiB.
const HELD: u64 = 1 << 30;

/// One input of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The inputs that the arguments name; none is standard input.
    pub(crate) fn list(paths: &[PathBuf]) -> Vec<Input> {
        if paths.is_empty() {
            return vec![Input::Stdin];
        }
        paths
            .iter()
            .map(|path| {
                if path.as_os_str() == "-" {
                    Input::Stdin
                } else {
                    Input::File(path.clone())
                }
            })
            .collect()
    }

    /// The name in messages and records.
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => path_text(path),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Input::Stdin => Path::new("-"),
            Input::File(path) => path,
        }
    }

    /// Does `work` for each of the inputs. One that can not be read is told, and the others follow.
    pub(crate) fn for_each(paths: &[PathBuf], mut work: impl FnMut(&Input) -> Outcome) -> Outcome {
        let mut worst = Exit::Done;
        for input in Input::list(paths) {
            worst = worst.max(work(&input).or_else(CliError::tell)?);
        }
        Ok(worst)
    }

    /// The context, completed by the file's name, and by the header that lies beside it unless the options give one.
    pub(crate) fn context(&self, context: &Context) -> Result<Context, CliError> {
        let mut context = context.clone();
        if let Input::File(path) = self {
            context.file_name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            if context.content_type.is_empty() {
                context.content_type = sidecar_content_types(path)?;
            }
        }
        Ok(context)
    }

    /// The command that shows the malformed bytes of this input, read in this encoding.
    pub(crate) fn inspect_malformed(&self, encoding: Encoding) -> String {
        let label = match encoding {
            Encoding::Web(web) => format!("--encoding {} ", web.name().to_ascii_lowercase()),
            Encoding::Utf32Le | Encoding::Utf32Be => String::new(),
        };
        match self {
            Input::Stdin => {
                format!(
                    "`unbake inspect --only malformed {label}FILE`, once it is saved to a file,"
                )
            }
            Input::File(_) => format!(
                "`unbake inspect --only malformed {label}{}`",
                quoted(&self.name())
            ),
        }
    }

    pub(crate) fn open(&self) -> Result<Box<dyn Read>, CliError> {
        match self {
            Input::Stdin => Ok(Box::new(io::stdin().lock())),
            Input::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(CliError::read(path, &error)),
            },
        }
    }

    /// All bytes of the input.
    pub(crate) fn read(&self) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        let mut reader = self.open()?.take(HELD + 1);
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| self.failed(&error))?;
        if bytes.len() as u64 > HELD {
            let message = format!(
                "cannot read `{}`: it is longer than {HELD} bytes, and this command holds all of it",
                self.name()
            );
            return Err(CliError::new(message).hint(
                "`unbake decode` and `unbake batch --no-text` read documents of any length",
            ));
        }
        Ok(bytes)
    }

    pub(crate) fn failed(&self, error: &io::Error) -> CliError {
        CliError::read(self.path(), error)
    }
}

/// What became of a document whose text went to a sink.
pub(crate) struct Streamed {
    pub(crate) decision: Decision,
    pub(crate) malformed: Malformed,
    pub(crate) literal_fffd: u64,
    pub(crate) byte_length: u64,
}

/// Why a document was not decoded to its end.
pub(crate) enum Stopped {
    Failed(CliError),
    /// Malformed bytes, in strict mode.
    Malformed(DecodeError),
}

impl From<CliError> for Stopped {
    fn from(error: CliError) -> Stopped {
        Stopped::Failed(error)
    }
}

/// Takes the text in pieces. True: nothing more has come by now, so what is held back should go out.
pub(crate) type Sink<'a> = dyn FnMut(&str, bool) -> Result<(), CliError> + 'a;

/// Decodes an input in bounded memory, its text going to `sink` in pieces; of what is binary nothing goes there.
pub(crate) fn decode_to(
    input: &Input,
    context: &Context,
    strict: bool,
    buffer_size: Option<usize>,
    sink: &mut Sink<'_>,
) -> Result<Streamed, Stopped> {
    let mut reader = input.open()?;
    let mut start = Vec::new();
    if buffer_size.is_none() {
        let mut limited = (&mut reader).take(WHOLE as u64 + 1);
        limited
            .read_to_end(&mut start)
            .map_err(|error| input.failed(&error))?;
        if start.len() <= WHOLE {
            return decode_whole(input, &start, context, strict, sink);
        }
    }
    decode_chunks(
        input,
        reader.as_mut(),
        start,
        context,
        strict,
        buffer_size.unwrap_or(CHUNK),
        sink,
    )
}

fn decode_whole(
    input: &Input,
    bytes: &[u8],
    context: &Context,
    strict: bool,
    sink: &mut Sink<'_>,
) -> Result<Streamed, Stopped> {
    if strict {
        let decision = sniff(bytes, context);
        let strict = decision.format != Format::Binary;
        let mut stream = Stream::decided(decision, strict);
        let mut text = String::new();
        let outcome = stream
            .push(bytes, &mut text)
            .and_then(|_| stream.finish(&mut text));
        // What came before the malformed sequence is kept.
        if strict {
            sink(&text, false)?;
        }
        let _decided_already = outcome.map_err(Stopped::Malformed)?;
        return Ok(streamed(input, &stream)?);
    }
    let decoded = decode(bytes, context);
    let Decoded {
        text,
        decision,
        malformed,
        literal_fffd,
    } = decoded;
    let text: Cow<'_, str> = text;
    if decision.format != Format::Binary {
        sink(&text, false)?;
    }
    Ok(Streamed {
        decision,
        malformed,
        literal_fffd,
        byte_length: bytes.len() as u64,
    })
}

/// Decides first, then writes: text that went out can not be taken back. While later bytes may still overturn the
/// encoding, the input is kept in a temporary file; a declared document needs none.
fn decode_chunks(
    input: &Input,
    reader: &mut dyn Read,
    start: Vec<u8>,
    context: &Context,
    strict: bool,
    chunk: usize,
    sink: &mut Sink<'_>,
) -> Result<Streamed, Stopped> {
    let failed = |error: &io::Error| input.failed(error);
    let spool_failed = |error: &io::Error| {
        CliError::new(format!(
            "cannot keep `{}` in a temporary file: {error}",
            input.name()
        ))
    };
    let mut spool = tempfile::spooled_tempfile(WHOLE);
    let mut buffer = vec![0; chunk];
    let mut stream = Stream::new(context.clone());
    let mut text = String::new();
    let mut kept = 0;
    let mut source = io::Cursor::new(start).chain(reader);
    // Pass 1: until the encoding can not change any more.
    loop {
        let len = read_chunk(&mut source, &mut buffer).map_err(|error| failed(&error))?;
        let bytes = buffer.get(..len).unwrap_or_default();
        spool
            .write_all(bytes)
            .map_err(|error| spool_failed(&error))?;
        kept += len as u64;
        if kept > SPOOL_LIMIT {
            let message = format!(
                "cannot decide the encoding of `{}`: nothing in its first {SPOOL_LIMIT} bytes settles it",
                input.name()
            );
            return Err(CliError::new(message)
                .hint("name it: `--encoding utf-8`")
                .into());
        }
        // Replacement mode: no error.
        let progress = if len == 0 {
            stream.finish(&mut text)
        } else {
            stream.push(bytes, &mut text)
        };
        text.clear();
        if len == 0 || stream.is_settled() || progress == Ok(Progress::StartAgain) {
            break;
        }
    }
    let decision = decided(input, &stream)?;
    // Binary is said, not decoded.
    let is_text = decision.format != Format::Binary;
    // Pass 2: what was kept, and then the rest as it comes.
    spool
        .seek(SeekFrom::Start(0))
        .map_err(|error| spool_failed(&error))?;
    let mut source = spool.chain(source);
    let mut stream = Stream::decided(decision, strict && is_text);
    loop {
        let len = read_chunk(&mut source, &mut buffer).map_err(|error| failed(&error))?;
        let bytes = buffer.get(..len).unwrap_or_default();
        let outcome = if len == 0 {
            stream.finish(&mut text)
        } else {
            stream.push(bytes, &mut text)
        };
        if is_text {
            sink(&text, len < chunk)?;
        }
        text.clear();
        let _decided_already = outcome.map_err(Stopped::Malformed)?;
        if len == 0 {
            break;
        }
    }
    Ok(streamed(input, &stream)?)
}

fn streamed(input: &Input, stream: &Stream) -> Result<Streamed, CliError> {
    let decision = decided(input, stream)?;
    Ok(Streamed {
        decision,
        malformed: stream.malformed(),
        literal_fffd: stream.literal_fffd(),
        byte_length: stream.byte_length(),
    })
}

/// The decision of a stream that has seen its end, or enough.
fn decided(input: &Input, stream: &Stream) -> Result<Decision, CliError> {
    stream
        .decision()
        .cloned()
        .ok_or_else(|| CliError::new(format!("cannot decide the encoding of `{}`", input.name())))
}

/// One read of at most the buffer's size; 0 is the end.
fn read_chunk(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
