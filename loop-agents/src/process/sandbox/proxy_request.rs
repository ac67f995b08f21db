//! The first lines of a request to a proxy.

use std::io;

use super::AllowedHost;

/// A request for an allowed host.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProxyRequest {
    pub(super) host: AllowedHost,
    /// Whether the client asked for a connection, and not for a page.
    pub(super) is_tunnel: bool,
    /// The bytes that the server gets first.
    pub(super) content: Vec<u8>,
}

/// A request that is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: &'static str,
    why: String,
}

impl Refusal {
    pub(super) const MALFORMED: Self = Self { status: "400 Bad Request", why: String::new() };
    pub(super) const LATE: Self = Self { status: "504 Gateway Timeout", why: String::new() };

    pub(super) fn unreachable(error: &io::Error) -> Self {
        Self { status: "502 Bad Gateway", why: format!("the host cannot be reached: {error}") }
    }

    fn unlisted(asked: &str) -> Self {
        let asked: String = asked.chars().filter(|sign| !sign.is_control()).take(300).collect();
        let why = format!("`{asked}` is not in the list of hosts of the sandbox (`sandbox.network`)");
        Self { status: "403 Forbidden", why }
    }

    /// Returns the answer to the client.
    pub(super) fn answer(&self) -> String {
        let Self { status, why } = self;
        let length = why.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}\n"
        )
    }
}

impl ProxyRequest {
    /// Parses the first lines, which end with an empty one, and what follows.
    ///
    /// # Errors
    /// They are malformed, or the host is not in the list.
    pub(super) fn parse(read: &[u8], hosts: &[AllowedHost]) -> Result<Self, Refusal> {
        let end = read.windows(4).position(|end| end == b"\r\n\r\n").ok_or(Refusal::MALFORMED)?;
        let head = std::str::from_utf8(&read[..end]).map_err(|_| Refusal::MALFORMED)?;
        let rest = &read[end + 4..];
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default().split(' ').collect::<Vec<_>>();
        let [method, target, version] = first[..] else { return Err(Refusal::MALFORMED) };
        let allowed = |asked: &str| {
            let asked_host = asked.parse::<AllowedHost>().ok();
            let found = hosts.iter().find(|host| Some(*host) == asked_host.as_ref());
            found.cloned().ok_or_else(|| Refusal::unlisted(asked))
        };
        if method == "CONNECT" {
            return Ok(Self { host: allowed(target)?, is_tunnel: true, content: rest.to_vec() });
        }
        let address = target.strip_prefix("http://").ok_or(Refusal::MALFORMED)?;
        let (authority, path) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let host = allowed(&if has_port { authority.to_owned() } else { format!("{authority}:80") })?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut content = format!("{method} {slash}{path} {version}\r\n");
        for line in lines {
            // Two readers could understand these differently.
            if line.starts_with([' ', '\t']) || line.contains(['\r', '\n', '\0']) {
                return Err(Refusal::MALFORMED);
            }
            let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            if !matches!(name.as_str(), "host" | "connection") && !name.starts_with("proxy-") {
                content += line;
                content += "\r\n";
            }
        }
        // The server gets the name that the list has, and one request.
        content += &format!("Host: {authority}\r\nConnection: close\r\n\r\n");
        Ok(Self { host, is_tunnel: false, content: [content.as_bytes(), rest].concat() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProxyRequest, Refusal> {
        let hosts = ["api.example.org:443", "example.org:80", "[::1]:8080", "10.0.0.1:80"];
        ProxyRequest::parse(text.as_bytes(), &hosts.map(|host| host.parse().unwrap()))
    }

    #[test]
    fn only_listed_hosts_are_reached_in_each_spelling() {
        for target in ["api.example.org:443", "API.Example.org.:443", "[0:0::1]:8080", "[::ffff:10.0.0.1]:80"]
        {
            let request = parse(&format!("CONNECT {target} HTTP/1.1\r\nHost: other\r\n\r\nrest")).unwrap();
            assert!(request.is_tunnel && request.content == b"rest", "{target}");
        }
        for target in [
            "api.example.org:80",
            "api.example.org",
            "api.example.org.evil.org:443",
            "evil.org:443",
            "api.example.org..:443",
            "api.example.org%00.evil.org:443",
            "ann@api.example.org:443",
            "api.example.org:443@evil.org:443",
            "93.184.216.34:443",
            "10.1:80",
            "0x0a.0.0.1:80",
            "167772161:80",
            "[::1%lo]:8080",
            "::1:8080",
            "[::ffff:10.0.0.2]:80",
            "http://api.example.org:443",
            "",
        ] {
            let refused = parse(&format!("CONNECT {target} HTTP/1.1\r\n\r\n")).unwrap_err();
            assert!(refused.answer().starts_with("HTTP/1.1 403"), "{target}");
        }
    }

    #[test]
    fn a_page_is_asked_from_its_host_under_its_own_name() {
        let request = parse(
            "GET http://example.org?a=http://b/ HTTP/1.1\r\nhost: evil.org\r\nProxy-Authorization: x\r\nAccept: */*\r\n\r\n",
        );
        let content = String::from_utf8(request.unwrap().content).unwrap();
        assert_eq!(
            content,
            "GET /?a=http://b/ HTTP/1.1\r\nAccept: */*\r\nHost: example.org\r\nConnection: close\r\n\r\n"
        );
        for wrong in [
            "GET http://evil.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n",
            "GET http://example.org@evil.org/ HTTP/1.1\r\n\r\n",
            "GET http://example.org:80:81/ HTTP/1.1\r\n\r\n",
            "GET http://example.org\\@evil.org/ HTTP/1.1\r\n\r\n",
            "GET /path HTTP/1.1\r\nHost: example.org\r\n\r\n",
            "GET https://api.example.org/ HTTP/1.1\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nAccept: x\r\n Host: evil.org\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nAccept: x\nHost: evil.org\r\n\r\n",
            "GET  http://example.org/ HTTP/1.1\r\n\r\n",
            "no request",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
