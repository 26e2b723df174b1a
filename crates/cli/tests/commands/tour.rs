//! `impinge` without a command.

use crate::program::Folder;

#[test]
fn the_tour_answers_and_leaves_a_picture() {
    let folder = Folder::new();
    let ran = folder.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("yes: ") && ran.out.contains("impinge-tour.png"),
        "{}",
        ran.out
    );
    assert!(ran.out.lines().count() < 34 && ran.out.lines().all(|line| line.len() < 100));
    assert_eq!(folder.picture("impinge-tour.png"), (1200, 750, true));
    assert_eq!(folder.picture("impinge-tour-balls.png"), (1200, 750, true));
    // Every line that begins like a command is one, and names models that exist. Cargo started
    // this test, so the program says how cargo starts it again.
    let commands: Vec<&str> = ran
        .out
        .lines()
        .filter_map(|line| line.trim().strip_prefix("cargo run --release -- "))
        .collect();
    assert_eq!(commands.len(), 3, "{}", ran.out);
    for command in commands.iter().filter(|command| !command.contains("YOUR")) {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert!(folder.run(&words).code < 2, "{command}");
    }

    let ran = folder.run(&["tour", "--json", "-o", "other.png"]);
    let record = ran.json();
    assert_eq!(record["intersects"], true);
    assert_eq!(record["picture"], "other.png");
    assert_eq!(record["picture_of_balls"], "other-balls.png");
    assert_eq!(record["balls"], 3000);
    assert!(
        record["volume"][0].as_f64() > Some(0.0)
            && record["volume"][0].as_f64() <= record["volume"][1].as_f64()
    );
    let bytes = |name| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("other.png"), bytes("impinge-tour.png"));
}
