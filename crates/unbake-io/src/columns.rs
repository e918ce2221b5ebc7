//! Documents in a table: Parquet, and Arrow IPC as a file or as a stream.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::{Error, Kind};

/// Which columns hold what. `None`: the usual name, if there is such a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// The bytes of the documents; usually `body`, or the only binary column.
    pub body: Option<String>,
    /// The Content-Type values; usually `content_type`.
    pub content_type: Option<String>,
    /// The ids; usually `id`.
    pub id: Option<String>,
    /// The addresses; usually `url`.
    pub url: Option<String>,
}

/// One row of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) content_type: Option<Vec<u8>>,
    pub(crate) body: Option<Vec<u8>>,
}

/// How many rows are read at once.
const ROWS: usize = 64;

pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The rows of a table, in order.
pub(crate) struct Table {
    batches: Batches,
    batch: Option<RecordBatch>,
    next: usize,
    body: usize,
    content_type: Option<usize>,
    id: Option<usize>,
    url: Option<usize>,
    path: String,
}

impl Table {
    /// Opens a Parquet file, or a file or stream of Arrow IPC: its first bytes say which.
    pub(crate) fn open(path: &Path, names: &ColumnNames) -> Result<Table, Error> {
        let shown = path.display().to_string();
        let mut found = Err(cannot_read(
            &shown,
            Kind::Schema,
            "it has no columns".to_owned(),
        ));
        let (schema, batches) = batches(path, &mut |schema| {
            found = Found::new(schema, names, &shown);
            found.as_ref().map_or_else(|_| Vec::new(), Found::all)
        })?;
        // The projection drops the other columns: look again where the wanted ones are.
        let found = Found::new(&schema, &found?.names, &shown)?;
        Ok(found.table(batches, shown))
    }

    fn step(&mut self) -> Result<Option<Cells>, Error> {
        loop {
            if let Some(batch) = &self.batch
                && self.next < batch.num_rows()
            {
                let row = self.next;
                self.next += 1;
                let bytes = |column: Option<usize>| {
                    column.and_then(|n| bytes_at(batch.columns().get(n)?.as_ref(), row))
                };
                let text = |column| bytes(column).and_then(|b| String::from_utf8(b).ok());
                return Ok(Some(Cells {
                    id: text(self.id),
                    url: text(self.url),
                    content_type: bytes(self.content_type),
                    body: bytes(Some(self.body)),
                }));
            }
            self.next = 0;
            self.batch = match self.batches.next() {
                None => return Ok(None),
                Some(Ok(batch)) => Some(batch),
                Some(Err(e)) => {
                    self.batches = Box::new(std::iter::empty());
                    self.batch = None;
                    return Err(cannot_read(&self.path, Kind::Schema, e.to_string()));
                }
            };
        }
    }
}

impl Iterator for Table {
    type Item = Result<Cells, Error>;

    fn next(&mut self) -> Option<Result<Cells, Error>> {
        self.step().transpose()
    }
}

/// Opens a Parquet file, or a file or stream of Arrow IPC: its first bytes say which. `wanted` chooses columns
/// by their places.
pub(crate) fn batches(
    path: &Path,
    wanted: &mut dyn FnMut(&Schema) -> Vec<usize>,
) -> Result<(SchemaRef, Batches), Error> {
    let shown = path.display().to_string();
    let io = |e: std::io::Error| cannot_read(&shown, Kind::Io, e.to_string());
    let mut file = File::open(path).map_err(io)?;
    let mut magic = [0; 6];
    let n = (&mut file).take(6).read(&mut magic).map_err(io)?;
    file.rewind().map_err(io)?;
    let bad =
        |e: &dyn std::fmt::Display| cannot_read(&shown, Kind::Schema, e.to_string().to_lowercase());
    let magic = magic.get(..n).unwrap_or_default();
    if magic.starts_with(b"PAR1") {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| bad(&e))?;
        let columns = wanted(builder.schema());
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
        let reader = builder
            .with_projection(mask)
            .with_batch_size(ROWS)
            .build()
            .map_err(|e| bad(&e))?;
        return Ok((reader.schema(), Box::new(reader)));
    }
    // Columns of Arrow IPC are read all: those that are not wanted cost nothing but memory.
    if magic == b"ARROW1" {
        let reader = arrow_ipc::reader::FileReader::try_new_buffered(file, None);
        let reader = reader.map_err(|e| bad(&e))?;
        wanted(&reader.schema());
        return Ok((reader.schema(), Box::new(reader)));
    }
    let reader = arrow_ipc::reader::StreamReader::try_new(BufReader::new(file), None);
    let reader = reader.map_err(|_| {
        let message = "it is neither Parquet nor Arrow IPC".to_owned();
        cannot_read(&shown, Kind::Format, message)
    })?;
    wanted(&reader.schema());
    Ok((reader.schema(), Box::new(reader)))
}

fn cannot_read(path: &str, kind: Kind, message: String) -> Error {
    Error::new(kind, message).with_path(path)
}

/// Where the columns are.
struct Found {
    names: ColumnNames,
    body: usize,
    content_type: Option<usize>,
    id: Option<usize>,
    url: Option<usize>,
}

impl Found {
    fn new(schema: &Schema, names: &ColumnNames, path: &str) -> Result<Found, Error> {
        let asked = |name: &Option<String>, usual: &str| match name {
            None => Ok(schema
                .index_of(usual)
                .ok()
                .filter(|&n| holds_bytes(schema.field(n).data_type()))),
            Some(name) => match schema.index_of(name) {
                Ok(n) if holds_bytes(schema.field(n).data_type()) => Ok(Some(n)),
                Ok(n) => Err(cannot_read(
                    path,
                    Kind::Schema,
                    format!(
                        "column `{name}` holds neither bytes nor text but {}",
                        schema.field(n).data_type()
                    ),
                )),
                Err(_) => Err(cannot_read(
                    path,
                    Kind::Schema,
                    format!(
                        "there is no column `{name}`; there are {}",
                        list(schema, |_| true)
                    ),
                )),
            },
        };
        let body = if let Some(n) = asked(&names.body, "body")? {
            n
        } else {
            only_binary(schema, path)?
        };
        let content_type = asked(&names.content_type, "content_type")?;
        let id = asked(&names.id, "id")?;
        let url = asked(&names.url, "url")?;
        let name = |n: Option<usize>| n.map(|n| schema.field(n).name().clone());
        Ok(Found {
            names: ColumnNames {
                body: name(Some(body)),
                content_type: name(content_type),
                id: name(id),
                url: name(url),
            },
            body,
            content_type,
            id,
            url,
        })
    }

    fn all(&self) -> Vec<usize> {
        [Some(self.body), self.content_type, self.id, self.url]
            .into_iter()
            .flatten()
            .collect()
    }

    fn table(&self, batches: Batches, path: String) -> Table {
        Table {
            batches,
            batch: None,
            next: 0,
            body: self.body,
            content_type: self.content_type,
            id: self.id,
            url: self.url,
            path,
        }
    }
}

/// Where no column has the usual name: the only one that is binary.
fn only_binary(schema: &Schema, path: &str) -> Result<usize, Error> {
    let fields = schema.fields().iter().enumerate();
    let mut found = fields.filter(|(_, field)| is_binary(field.data_type()));
    if let (Some((n, _)), None) = (found.next(), found.next()) {
        return Ok(n);
    }
    let binary = list(schema, is_binary);
    let message = format!("there is no column `body`; the binary columns are {binary}");
    Err(cannot_read(path, Kind::Schema, message).with_hint("name the column: `--body-column NAME`"))
}

fn list(schema: &Schema, wanted: impl Fn(&DataType) -> bool) -> String {
    let names: Vec<String> = schema
        .fields()
        .iter()
        .filter(|field| wanted(field.data_type()))
        .map(|field| format!("`{}`", field.name()))
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn is_binary(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

fn holds_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => holds_bytes(values),
        other => is_binary(other),
    }
}

/// The bytes of one cell; `None` where it is null.
pub(crate) fn bytes_at(column: &dyn Array, row: usize) -> Option<Vec<u8>> {
    if row >= column.len() || column.is_null(row) {
        return None;
    }
    let bytes = match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary();
            let key = dictionary.normalized_keys().get(row).copied()?;
            return bytes_at(dictionary.values().as_ref(), key);
        }
        _ => return None,
    };
    Some(bytes.to_vec())
}

/// The whole number in one cell; `None` where it is null or no number.
pub(crate) fn number_at(column: &dyn Array, row: usize) -> Option<u64> {
    use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
    if row >= column.len() || column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::UInt32 => Some(column.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().value(row)),
        DataType::Int32 => u64::try_from(column.as_primitive::<Int32Type>().value(row)).ok(),
        DataType::Int64 => u64::try_from(column.as_primitive::<Int64Type>().value(row)).ok(),
        _ => None,
    }
}

/// The batches of a table with all of its columns.
pub(crate) fn open_batches(path: &Path) -> Result<(std::sync::Arc<Schema>, Batches), Error> {
    let shown = path.display().to_string();
    let bad =
        |e: &dyn std::fmt::Display| cannot_read(&shown, Kind::Schema, e.to_string().to_lowercase());
    let io = |e: std::io::Error| cannot_read(&shown, Kind::Io, e.to_string());
    let mut file = File::open(path).map_err(io)?;
    let mut magic = Vec::new();
    (&mut file).take(6).read_to_end(&mut magic).map_err(io)?;
    file.rewind().map_err(io)?;
    if magic.starts_with(b"PAR1") {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| bad(&e))?;
        let reader = builder.with_batch_size(ROWS).build().map_err(|e| bad(&e))?;
        return Ok((reader.schema(), Box::new(reader)));
    }
    if magic == b"ARROW1" {
        let reader = arrow_ipc::reader::FileReader::try_new_buffered(file, None);
        let reader = reader.map_err(|e| bad(&e))?;
        return Ok((reader.schema(), Box::new(reader)));
    }
    let reader = arrow_ipc::reader::StreamReader::try_new(BufReader::new(file), None);
    let reader = reader.map_err(|_| {
        let message = "it is neither Parquet nor Arrow IPC".to_owned();
        cannot_read(&shown, Kind::Format, message)
    })?;
    Ok((reader.schema(), Box::new(reader)))
}
