//! What an address says of a document's origin.

/// The top-level domain of an address; `None` for addresses without a name, as `http://127.0.0.1/`.
///
/// # Example
/// ```
/// use unbake_io::top_level_domain;
/// assert_eq!(top_level_domain("http://a.example.co.JP:80/x.y").as_deref(), Some("jp"));
/// assert_eq!(top_level_domain("dns:a.com"), None);
/// ```
pub fn top_level_domain(url: &str) -> Option<String> {
    let (_, tld) = host(url)?.rsplit_once('.')?;
    let named = |c: char| c.is_ascii_alphabetic() || c == '-' || !c.is_ascii();
    (!tld.is_empty() && tld.chars().all(named)).then(|| clean_tld(tld))
}

/// `.JP` is `jp`, and so is `co.jp`.
pub fn clean_tld(tld: &str) -> String {
    let last = tld.rsplit('.').find(|label| !label.is_empty());
    last.unwrap_or_default().to_lowercase()
}

/// The host of an address, without a port and without the dot at its end.
///
/// # Example
/// ```
/// assert_eq!(unbake_io::host("https://user:p@b.example.:8080/?q"), Some("b.example"));
/// ```
pub fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(host.split(':').next()?.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains() {
        let of = |url| top_level_domain(url);
        assert_eq!(of("http://a.example.co.JP:80/x.y").as_deref(), Some("jp"));
        assert_eq!(of("https://user:p@b.de./?q").as_deref(), Some("de"));
        assert_eq!(of("http://127.0.0.1/"), None);
        assert_eq!(of("http://localhost/"), None);
        assert_eq!(of("dns:a.com"), None);
    }
}
