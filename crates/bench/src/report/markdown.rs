//! A subset of Markdown: what the pages about bias need.

use std::fmt::Write as _;

use super::text_format::escape;

/// Headings, paragraphs and lists. A first heading of the first level is left out: the page has its own.
pub(super) fn html(text: &str) -> String {
    let mut html = String::new();
    let mut block: Vec<&str> = Vec::new();
    let mut in_list = false;
    for line in text.lines().chain([""]) {
        let starts_item = line.starts_with("- ");
        if line.trim().is_empty() || line.starts_with('#') || starts_item {
            close(&mut html, &mut block, &mut in_list);
        }
        if !starts_item && in_list && !line.starts_with(' ') && block.is_empty() {
            html.push_str("</ul>\n");
            in_list = false;
        }
        if let Some(title) = line.strip_prefix("## ") {
            let _ = writeln!(html, "<h3>{}</h3>", inline(title));
        } else if !line.starts_with('#') && !line.trim().is_empty() {
            block.push(line);
        }
    }
    if in_list {
        html.push_str("</ul>\n");
    }
    html
}

fn close(html: &mut String, block: &mut Vec<&str>, in_list: &mut bool) {
    if block.is_empty() {
        return;
    }
    let joined: Vec<&str> = block.drain(..).map(str::trim).collect();
    let text = joined.join(" ");
    // Writing to a string cannot fail.
    let _ = match text.strip_prefix("- ") {
        Some(item) => {
            if !*in_list {
                html.push_str("<ul class=\"notes\">\n");
                *in_list = true;
            }
            writeln!(html, "<li>{}</li>", inline(item))
        }
        None => writeln!(html, "<p>{}</p>", inline(&text)),
    };
}

/// Code and emphasis within a line; whatever else stays as it is.
pub(super) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (k, piece) in text.split('`').enumerate() {
        if k % 2 == 1 {
            let _ = write!(html, "<code>{}</code>", escape(piece));
            continue;
        }
        let pieces: Vec<&str> = piece.split('*').collect();
        // An odd star is a star.
        if pieces.len().is_multiple_of(2) {
            html.push_str(&escape(piece));
            continue;
        }
        for (k, piece) in pieces.iter().enumerate() {
            if k % 2 == 1 {
                let _ = write!(html, "<em>{}</em>", escape(piece));
            } else {
                html.push_str(&escape(piece));
            }
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn headings_lists_code_and_emphasis_become_elements() {
        let text = "# Title\n\nA <b> in\ntwo lines.\n\n## Part\n- one `a*b`\n  more. *We gain.*\n- two\n\nEnd.\n";
        assert_eq!(
            html(text),
            "<p>A &lt;b&gt; in two lines.</p>\n<h3>Part</h3>\n<ul class=\"notes\">\n\
             <li>one <code>a*b</code> more. <em>We gain.</em></li>\n<li>two</li>\n</ul>\n<p>End.</p>\n"
        );
    }
}
