//! The cactus plot of a campaign: how many problems an engine solves if each may take so long.

use std::fmt::Write;

use super::results::RunResult;

/// The size of the picture and of its margins.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const MARGIN: f64 = 60.0;
/// The least time that is told apart, since the axis of time is logarithmic.
const LEAST: f64 = 0.01;

const COLOURS: [&str; 8] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"];

/// The plot as SVG: problems to the right, seconds upwards.
pub(super) fn cactus(runs: &[RunResult], engines: &[String]) -> String {
    let times = |engine: &String| {
        let solved = runs.iter().filter(|run| run.engine == *engine && run.is_solved() && !run.is_wrong());
        let mut times: Vec<f64> = solved.map(|run| run.seconds.max(LEAST)).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let curves: Vec<(&String, Vec<f64>)> = engines.iter().map(|engine| (engine, times(engine))).collect();
    let most = curves.iter().map(|(_, times)| times.len()).max().unwrap_or(0).max(1);
    let longest = curves.iter().filter_map(|(_, times)| times.last().copied()).fold(1.0, f64::max);
    let x = |count: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * count as f64 / most as f64;
    let y = |seconds: f64| {
        let part = (seconds / LEAST).log10() / (longest / LEAST).log10();
        HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * part
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let (left, right, bottom) = (MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN);
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {MARGIN}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">problems solved</text>\n\
         <text x=\"{left}\" y=\"{}\" text-anchor=\"middle\">seconds</text>",
        WIDTH / 2.0,
        HEIGHT - 15.0,
        MARGIN - 12.0
    );
    let mut tick = LEAST;
    while tick <= longest * 1.001 {
        let at = y(tick);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            (tick * 1000.0).round() / 1000.0
        );
        tick *= 10.0;
    }
    for quarter in 0..=4 {
        let count = most * quarter / 4;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{count}</text>",
            x(count),
            bottom + 16.0
        );
    }
    for (i, (engine, times)) in curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(at, &seconds)| format!("{:.1},{:.1}", x(at + 1), y(seconds)))
            .collect();
        let label = format!("{} ({})", escape(engine), times.len());
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{label}</text>",
            points.join(" "),
            left + 12.0,
            MARGIN + 16.0 * (i as f64 + 1.0)
        );
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_has_a_curve() {
        let run = |engine: &str, answer: &str, seconds: f64| RunResult {
            file: "a".to_owned(),
            engine: engine.to_owned(),
            answer: answer.to_owned(),
            expected: None,
            seconds,
            checked: String::new(),
        };
        let runs = [run("bmc", "sat", 1.0), run("bmc", "unsat", 0.001), run("a<b", "unknown", 3.0)];
        let svg = cactus(&runs, &["bmc".to_owned(), "a<b".to_owned()]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("points=\"360.0,380.0 660.0,60.0\""), "{svg}");
        assert!(svg.contains("bmc (2)") && svg.contains("a&lt;b (0)"), "{svg}");
        assert!(cactus(&[], &[]).ends_with("</svg>\n"));
    }
}
