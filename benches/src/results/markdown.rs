//! Writes the tables as Markdown.

use std::fmt::Write;

use crate::table::{Growth, Row, Table};

/// Returns the page with both tables.
pub(super) fn page(table: &Table) -> String {
    let mut page = String::from(
        "<!-- Written by `cargo bench -p benches`; benches/README.md says how to read it. -->\n\n\
         | distance / floor | median | least to greatest | goal | |\n| --- | ---: | ---: | ---: | --- |\n",
    );
    table.rows.iter().for_each(|row| page.push_str(&line(row)));
    for growth in &table.growths {
        page.push_str(&section(growth));
    }
    page
}

fn line(row: &Row) -> String {
    let Row { what, ratio, goal, note } = row;
    let Some(ratio) = ratio else { return format!("| {what} | skipped | | | {note} |\n") };
    let spread = if ratio.least < ratio.greatest {
        format!("{:.2} to {:.2}", ratio.least, ratio.greatest)
    } else {
        String::new()
    };
    let goal = match goal {
        Some(goal) if ratio.median <= *goal => format!("{goal:.2}"),
        Some(goal) => format!("{goal:.2}, **missed**"),
        None => String::new(),
    };
    format!("| {what} | {:.3} | {spread} | {goal} | {note} |\n", ratio.median)
}

fn section(growth: &Growth) -> String {
    let (mut names, mut rule, mut ratios) = (String::new(), String::new(), String::new());
    for (size, ratio) in &growth.points {
        names += &format!(" {size} |");
        rule += " ---: |";
        ratios += &format!(" {:.2} |", ratio.median);
    }
    let mut section = String::new();
    let _infallible = write!(
        section,
        "\n{}, by {}:\n\n| {} |{names}\n| --- |{rule}\n| ratio |{ratios}\n",
        growth.what, growth.axis, growth.axis
    );
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Spread;

    #[test]
    fn missed_goals_and_skipped_rows_are_marked() {
        let mut table = Table::default();
        table.add(Row::new("held", Spread::of(vec![1.0, 1.5, 1.25])).at_most(1.3).note("so"));
        table.add(Row::single("missed", 2.0).at_most(1.3));
        table.add(Row::skipped("unknown", "no strace"));
        let mut growth = Growth::new("a tick / with 10 jobs", "jobs");
        growth.point("10", Spread::of(vec![1.0]));
        growth.point("100", Spread::of(vec![1.5]));
        table.grow(growth);
        let page = page(&table);
        assert!(page.contains("| held | 1.250 | 1.00 to 1.50 | 1.30 | so |\n"), "{page}");
        assert!(page.contains("| missed | 2.000 |  | 1.30, **missed** |  |\n"), "{page}");
        assert!(page.contains("| unknown | skipped | | | no strace |\n"), "{page}");
        assert!(
            page.ends_with("| jobs | 10 | 100 |\n| --- | ---: | ---: |\n| ratio | 1.00 | 1.50 |\n"),
            "{page}"
        );
    }
}
