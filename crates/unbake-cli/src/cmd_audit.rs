//! `unbake audit`: what is wrong with the texts of a crawl or a table, and whether an alarm rings.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, ValueEnum};
use unbake_io::audit::{self, Audit, By, Columns, HOST_CAP, Measure, Run, Thresholds};
use unbake_io::batch::Progress;
use unbake_io::{ColumnNames, Input, Reading};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::messages::{CliError, Exit, say};
use crate::progress::with_progress;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  unbake audit examples/crawl --html report.html\n  unbake audit rows.csv --fields title,text --baseline yesterday.json --json > today.json\n\nExit: 0 no alarm, 1 an alarm rings, 2 usage or I/O error. docs/audit.md tells how to read the report."
)]
pub(crate) struct AuditArgs {
    /// Archives, directories, tables; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What the inputs are, where their names do not tell: files, ndjson, warc, table, csv, or metrics (earlier `--json`)
    #[arg(long, value_enum, hide_possible_values = true)]
    from: Option<From>,
    /// Tables by tld, host, lang, declared, encoding, rule, day or label
    #[arg(long, value_name = "GROUP", value_delimiter = ',', default_value = "tld", value_parser = parse_by)]
    by: Vec<By>,
    /// Audit these columns of text instead of pages
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    fields: Vec<String>,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Hosts kept apart; of more, a random sample is kept
    #[arg(long, value_name = "N", default_value_t = HOST_CAP as u64, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    max_hosts: u64,
    /// Column of a table that holds the documents; default: `body`, or the only binary one
    #[arg(long, value_name = "NAME")]
    body_column: Option<String>,
    /// Column with the Content-Type values; default: `content_type`
    #[arg(long, value_name = "NAME")]
    content_type_column: Option<String>,
    /// Column with the URLs, whose hosts are told apart; default: `url`
    #[arg(long, value_name = "NAME")]
    url_column: Option<String>,
    /// Also count declarations that nobody reads; slower
    #[arg(long)]
    all_clues: bool,
    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    alarms: Alarms,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reports")]
struct Reports {
    /// Print counts, shares and alarms as JSON: the baseline of a later run
    #[arg(long)]
    json: bool,
    /// Write the groups as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a report to look at: one file, no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a textfile for Prometheus
    #[arg(long, value_name = "FILE")]
    prom: Option<PathBuf>,
    /// Write the alarms as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the JSON to a file
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Alarms")]
struct Alarms {
    /// JSON of an earlier run to compare with
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Largest share of damaged rows, as `1%`, `c1=0.1%` or `title:made=0.5%`; repeatable
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    max_rate: Vec<(Option<String>, Measure, f64)>,
    /// Probability of any false alarm among the comparisons of a run
    #[arg(long, value_name = "P", default_value = "0.01", value_parser = parse_share)]
    level: f64,
    /// Smallest rise of a share that rings
    #[arg(long, value_name = "RATE", default_value = "0.1%", value_parser = parse_share)]
    min_rise: f64,
    /// Smallest number of hosts that became worse
    #[arg(long, value_name = "N", default_value_t = 5)]
    min_hosts: usize,
    /// Largest share of hosts whose usual encoding, or rule, may change
    #[arg(long, value_name = "RATE", default_value = "0.5%", value_parser = parse_share)]
    max_flips: f64,
    /// Exit with 0 also where an alarm rings
    #[arg(long)]
    warn_only: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    Files,
    Ndjson,
    Warc,
    Table,
    Csv,
    Metrics,
}

fn parse_by(id: &str) -> Result<By, String> {
    By::from_id(id).ok_or_else(|| {
        let known: Vec<&str> = By::ALL.iter().map(|by| by.id()).collect();
        format!("the groups are {}", known.join(", "))
    })
}

/// `1%` or `0.01`.
fn parse_share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>().map(|number| number / scale) {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        Ok(_) => Err("a share lies between 0 and 1, or 0% and 100%".to_owned()),
        Err(_) => Err("a share is wanted, as `0.5%` or `0.005`".to_owned()),
    }
}

/// `[FIELD:][MEASURE=]RATE`
fn parse_rate(text: &str) -> Result<(Option<String>, Measure, f64), String> {
    let (field, rest) = match text.rsplit_once(':') {
        Some((field, rest)) => (Some(field.to_owned()), rest),
        None => (None, text),
    };
    let (measure, rate) = match rest.split_once('=') {
        Some((measure, rate)) => {
            let known = Measure::ALL.into_iter().find(|known| known.id() == measure);
            let measure = known.ok_or_else(|| {
                let all: Vec<&str> = Measure::ALL.iter().map(|measure| measure.id()).collect();
                format!("the measures are {}", all.join(", "))
            })?;
            (measure, rate)
        }
        None => (Measure::Made, rest),
    };
    Ok((field, measure, parse_share(rate)?))
}

pub(crate) fn run(args: &AuditArgs) -> Outcome {
    let audit = if args.from == Some(From::Metrics) {
        merged(&args.inputs)?
    } else {
        counted(args)?
    };
    let baseline = args
        .alarms
        .baseline
        .as_deref()
        .map(|path| baseline(path, &audit))
        .transpose()?;
    let alarms = &args.alarms;
    for (field, ..) in &alarms.max_rate {
        if let Some(field) = field
            .as_ref()
            .filter(|field| !audit.all.fields.contains_key(*field))
        {
            let known: Vec<String> = audit
                .all
                .fields
                .keys()
                .map(|name| format!("`{name}`"))
                .collect();
            if !known.is_empty() {
                return Err(
                    CliError::new(format!("there is no field `{field}` to limit"))
                        .hint(format!("the fields are {}", known.join(", "))),
                );
            }
        }
    }
    let thresholds = Thresholds {
        level: alarms.level,
        min_rise: alarms.min_rise,
        min_hosts: alarms.min_hosts,
        max_rates: alarms.max_rate.clone(),
        max_flips: alarms.max_flips,
    };
    let checks = audit::check(&audit, baseline.as_ref(), &thresholds);
    let mut json = serde_json::to_vec_pretty(&audit::json(&audit, &checks))
        .map_err(|error| CliError::write(&error.into()))?;
    json.push(b'\n');
    let reports = &args.reports;
    let write = |path: &Option<PathBuf>, bytes: &dyn Fn() -> Vec<u8>| match path {
        Some(path) => audit::write_whole(path, &bytes()),
        None => Ok(()),
    };
    write(&reports.metrics, &|| json.clone())?;
    write(&reports.csv, &|| audit::csv(&audit, &args.by).into_bytes())?;
    write(&reports.html, &|| {
        audit::html(&audit, &checks, baseline.as_ref()).into_bytes()
    })?;
    write(&reports.prom, &|| {
        audit::prometheus(&audit, &checks).into_bytes()
    })?;
    write(&reports.junit, &|| audit::junit(&checks).into_bytes())?;
    let text = audit::text(&audit, &checks, &args.by);
    let out = if reports.json { &json } else { text.as_bytes() };
    io::stdout()
        .write_all(out)
        .map_err(|error| CliError::write(&error))?;
    let ringing = checks.ringing().count();
    if reports.json && ringing > 0 {
        say(&alarm_lines(&checks));
    }
    Ok(if ringing > 0 && !alarms.warn_only {
        Exit::Found
    } else {
        Exit::Done
    })
}

fn alarm_lines(checks: &audit::Checks) -> String {
    checks.ringing().fold(String::new(), |mut out, check| {
        out.push_str("alarm: ");
        out.extend(
            check
                .message
                .chars()
                .map(|c| if c.is_control() { '\u{B7}' } else { c }),
        );
        out.push('\n');
        out
    })
}

fn counted(args: &AuditArgs) -> Result<Audit, CliError> {
    let mut context = args.decide.context()?;
    context.all_clues = args.all_clues;
    let columns = (!args.fields.is_empty()).then(|| Columns {
        fields: args.fields.clone(),
        url: args.url_column.clone(),
    });
    if columns.is_none() && args.from == Some(From::Csv) {
        return Err(
            CliError::new("a table of values has columns of text, not pages")
                .hint("name the columns: `--fields title,text`"),
        );
    }
    let inputs = inputs(args, columns.is_some())?;
    let threads = args.threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let run = Run {
        reading: Reading {
            context,
            detector: args.decide.detector(),
            columns: ColumnNames {
                body: args.body_column.clone(),
                content_type: args.content_type_column.clone(),
                id: None,
                url: args.url_column.clone(),
            },
            ..Reading::default()
        },
        threads,
        host_cap: usize::try_from(args.max_hosts).unwrap_or(HOST_CAP),
        columns,
    };
    let progress = Progress::default();
    Ok(with_progress(&inputs, true, &progress, || {
        run.audit(&inputs, &progress)
    })?)
}

fn inputs(args: &AuditArgs, columns: bool) -> Result<Vec<Input>, CliError> {
    let stdin = [PathBuf::from("-")];
    let paths = match args.inputs.as_slice() {
        [] => &stdin,
        paths => paths,
    };
    for path in paths {
        if path.as_os_str() != "-" && !path.as_os_str().as_encoded_bytes().starts_with(b"file:") {
            fs::metadata(path).map_err(|error| CliError::read(path, &error))?;
        }
    }
    let from = args.from.map(|from| match from {
        From::Files | From::Csv | From::Metrics => unbake_io::From::Files,
        From::Ndjson => unbake_io::From::Ndjson,
        From::Warc => unbake_io::From::Warc,
        From::Table => unbake_io::From::Table,
    });
    let mut found = unbake_io::batch::inputs(paths, from)?;
    if columns {
        for input in &mut found {
            let lines = |ending: &std::ffi::OsStr| ending == "ndjson" || ending == "jsonl";
            if args.from.is_none() && input.path.extension().is_some_and(lines) {
                input.from = unbake_io::From::Ndjson;
            }
            if input.from == unbake_io::From::Warc {
                return Err(CliError::new(format!(
                    "`{}` is an archive, which has no columns",
                    input.path.display()
                ))
                .hint("leave `--fields` away to audit its pages"));
            }
        }
    }
    if found.is_empty() {
        return Err(
            CliError::new("there are no such files in these directories").hint(
                "`--from` says what the inputs are: files, ndjson, warc, table, csv or metrics",
            ),
        );
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Audit, CliError> {
    let bytes = fs::read(path).map_err(|error| CliError::read(path, &error))?;
    Ok(Audit::from_json(&bytes, &path.display().to_string())?)
}

/// Earlier runs added up.
fn merged(paths: &[PathBuf]) -> Result<Audit, CliError> {
    let Some((first, rest)) = paths.split_first() else {
        return Err(CliError::new("there is nothing to merge")
            .hint("name files written by `--json` or `--metrics`"));
    };
    let mut sum = read(first)?;
    for path in rest {
        sum.merge(&read(path)?)?;
    }
    Ok(sum)
}

fn baseline(path: &Path, now: &Audit) -> Result<Audit, CliError> {
    let before = read(path)?;
    if before.settings != now.settings {
        return Err(CliError::new(format!(
            "the baseline `{}` was made under other settings: `{}`, and now `{}`",
            path.display(),
            before.settings,
            now.settings
        ))
        .hint("make the baseline again with today's options"));
    }
    if before.unbake != now.unbake {
        let versions = |audit: &Audit| audit.unbake.iter().cloned().collect::<Vec<_>>().join(", ");
        say(&format!(
            "note: the baseline was made by version {}, this is {}: a change may come from the program\n",
            versions(&before),
            versions(now)
        ));
    }
    Ok(before)
}
