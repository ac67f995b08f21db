//! HTML as text, in one pass: a page of any depth takes time in proportion to its length.

/// Elements whose content is not text of the page.
const HIDDEN: [&str; 6] = ["script", "style", "template", "svg", "noscript", "iframe"];

/// Elements that are part of a line. All others begin a new line.
const INLINE: &str = " a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span \
                      strong sub sup time tt u var wbr ";

/// Returns the text of a page. Blocks are on lines of their own, headings begin with `#`, and items with `-`.
pub(super) fn text(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        page.push(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let is_tag = rest[1..].starts_with(|sign: char| sign.is_ascii_alphabetic() || "/!?".contains(sign));
        if !is_tag {
            page.push("<");
            rest = &rest[1..];
            continue;
        }
        let end = tag_end(rest);
        let (is_end, name) = tag_name(&rest[1..end]);
        rest = &rest[end..];
        if !is_end && HIDDEN.contains(&name.as_str()) {
            rest = behind(rest, &name);
            page.tag(&name, true);
        } else {
            page.tag(&name, is_end);
        }
    }
    page.push(rest);
    page.text.trim().to_owned()
}

/// Returns the position behind the tag at the start of a text. A `>` in quotes does not end it.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') if text.as_bytes()[at - 1] == b'=' => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether a tag without its `<` is an end tag, and its name.
fn tag_name(tag: &str) -> (bool, String) {
    let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
    let length = tag.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(tag.len());
    (is_end, tag[..length].to_ascii_lowercase())
}

/// Returns the text behind the end tag of this element.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(found) = text[from..].find("</") {
        let start = from + found;
        let (_, found) = tag_name(&text[start + 1..text.len().min(text.ceil_char_boundary(start + 20))]);
        if found == name {
            return &text[start + tag_end(&text[start..])..];
        }
        from = start + 2;
    }
    ""
}

#[derive(Debug, Default)]
struct Page {
    text: String,
    /// The depth of elements whose white space counts.
    pre: usize,
}

impl Page {
    fn push(&mut self, text: &str) {
        if self.pre > 0 {
            return push_decoded(&mut self.text, text);
        }
        let mut words = text.split(|sign: char| sign.is_ascii_whitespace()).peekable();
        while let Some(word) = words.next() {
            push_decoded(&mut self.text, word);
            if words.peek().is_some() && !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
        }
    }

    fn tag(&mut self, name: &str, is_end: bool) {
        match (name, is_end) {
            ("pre", false) => self.pre += 1,
            ("pre", true) => self.pre = self.pre.saturating_sub(1),
            ("td" | "th", true) => return self.text.push('\t'),
            ("td" | "th", false) => return,
            _ => {}
        }
        if name.is_empty() || INLINE.contains(&format!(" {name} ")) {
            return;
        }
        while self.pre == 0 && self.text.ends_with([' ', '\t']) {
            self.text.pop();
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let level = name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok());
        match (name, level, is_end) {
            ("p" | "pre" | "table" | "ul" | "ol", ..) | (_, Some(1..=6), _) => self.blank_line(),
            _ => {}
        }
        match (name, level, is_end) {
            ("li", _, false) => self.text.push_str("- "),
            (_, Some(level @ 1..=6), false) => self.text.extend(["#".repeat(level).as_str(), " "]),
            _ => {}
        }
    }

    fn blank_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

/// The longest name of a character, with `&` and `;`.
const LONGEST_NAME: usize = 12;

/// Pushes a text with its named and numbered characters.
fn push_decoded(to: &mut String, mut text: &str) {
    while let Some(start) = text.find('&') {
        to.push_str(&text[..start]);
        text = &text[start..];
        let end = text.bytes().take(LONGEST_NAME).position(|byte| byte == b';');
        match end.and_then(|end| Some((character(&text[1..end])?, end))) {
            Some((character, end)) => {
                to.push(character);
                text = &text[end + 1..];
            }
            None => {
                to.push('&');
                text = &text[1..];
            }
        }
    }
    to.push_str(text);
}

fn character(name: &str) -> Option<char> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '\u{2014}',
        "ndash" => '\u{2013}',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "copy" => '©',
        "times" => '×',
        "larr" => '←',
        "rarr" => '→',
        _ => {
            let digits = name.strip_prefix('#')?;
            match digits.strip_prefix(['x', 'X']) {
                Some(digits) => number(digits, 16)?,
                None => number(digits, 10)?,
            }
        }
    })
}
