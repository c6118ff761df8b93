//! Completions for shells, from the table of options.

use std::fmt::Write;
use std::str::FromStr;

use super::table::{Effect, OptionRow, TABLE};

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// The Bourne-again shell.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(text: &str) -> Result<Shell, String> {
        match text {
            "bash" => Ok(Shell::Bash),
            "zsh" => Ok(Shell::Zsh),
            "fish" => Ok(Shell::Fish),
            _ => Err(format!("there are no completions for {text}; shells: bash, zsh, fish")),
        }
    }
}

/// The words that may stand first instead of a file, with their meaning.
const WORDS: [(&str, &str); 5] = [
    ("smt", "run an SMT-LIB script"),
    ("shapes", "list the shapes of systems"),
    ("strategy", "list the engines that would be run"),
    ("completions", "print completions for a shell"),
    ("man", "print the manual page"),
];
const SHELLS: &str = "bash zsh fish";

/// The completions for a shell, as a script of that shell.
pub(super) fn completions(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
    }
}

/// Both names of an option, with their dashes.
fn names(row: &OptionRow) -> Vec<String> {
    let short = row.short.map(|short| format!("-{short}"));
    short.into_iter().chain([format!("--{}", row.long)]).collect()
}

fn bash() -> String {
    let mut cases = String::new();
    for row in TABLE.iter().filter(|row| row.takes_word()) {
        let action = match (&row.effect, row.choices) {
            (Effect::File(_), _) => "COMPREPLY=($(compgen -f -- \"$current\"))".to_owned(),
            (_, []) => "COMPREPLY=()".to_owned(),
            (_, choices) => format!("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", choices.join(" ")),
        };
        let _ = writeln!(cases, "        {}) {action}; return ;;", names(row).join("|"));
    }
    let _ = writeln!(
        cases,
        "        completions) COMPREPLY=($(compgen -W '{SHELLS}' -- \"$current\")); return ;;"
    );
    let options: Vec<String> = TABLE.iter().flat_map(names).collect();
    let words: Vec<&str> = WORDS.iter().map(|&(word, _)| word).collect();
    format!(
        "_shem() {{\n    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n    \
         case $before in\n{cases}    esac\n    if [[ $current == -* ]]; then\n        \
         COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n    else\n        \
         COMPREPLY=($(compgen -f -- \"$current\"))\n        \
         ((COMP_CWORD == 1)) && COMPREPLY+=($(compgen -W '{}' -- \"$current\"))\n    fi\n}}\n\
         complete -o filenames -F _shem shem\n",
        options.join(" "),
        words.join(" ")
    )
}

/// A text between single quotes of a shell.
fn quoted(text: &str) -> String {
    text.replace('\'', "'\\''")
}

fn zsh() -> String {
    let mut text = String::from("#compdef shem\n_arguments -s \\\n");
    for row in TABLE {
        let help = quoted(row.help).replace('[', "(").replace(']', ")").replace(':', "\\:");
        let value = match (&row.effect, row.choices) {
            _ if row.value.is_empty() => String::new(),
            (Effect::File(_), _) => format!(":{}:_files", row.value),
            (_, []) => format!(":{}: ", row.value),
            (_, choices) => format!(":{}:({})", row.value, choices.join(" ")),
        };
        for name in names(row) {
            let (mark, value) = match row.effect {
                Effect::Optional(_) if name.starts_with("--") => ("=-", format!(":{value}")),
                Effect::Optional(_) => ("", String::new()),
                _ if name.starts_with("--") && !value.is_empty() => ("=", value.clone()),
                _ => ("", value.clone()),
            };
            let _ = writeln!(text, "  '*{name}{mark}[{help}]{value}' \\");
        }
    }
    let words: Vec<String> = WORDS.iter().map(|(word, meaning)| format!("{word}\\:\"{meaning}\"")).collect();
    let _ = writeln!(
        text,
        "  '1: :{{_alternative \"words:word:(({}))\" \"files:file:_files\"}}' \\",
        words.join(" ")
    );
    text.push_str("  '*:file:_files'\n");
    text
}

fn fish() -> String {
    let mut text = String::new();
    for (word, meaning) in WORDS {
        let _ =
            writeln!(text, "complete -c shem -n __fish_use_subcommand -a {word} -d '{}'", quoted(meaning));
    }
    let _ = writeln!(text, "complete -c shem -n '__fish_seen_subcommand_from completions' -fa '{SHELLS}'");
    for row in TABLE {
        let short = row.short.map_or(String::new(), |short| format!(" -s {short}"));
        let value = match (&row.effect, row.choices) {
            _ if !row.takes_word() => String::new(),
            (Effect::File(_), _) => " -rF".to_owned(),
            (_, []) => " -x".to_owned(),
            (_, choices) => format!(" -xa '{}'", choices.join(" ")),
        };
        let _ = writeln!(text, "complete -c shem{short} -l {}{value} -d '{}'", row.long, quoted(row.help));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_knows_every_option() {
        for (shell, dashes) in [(Shell::Bash, "--"), (Shell::Zsh, "--"), (Shell::Fish, "-l ")] {
            let text = completions(shell);
            for row in TABLE {
                assert!(text.contains(&format!("{dashes}{}", row.long)), "{shell:?} {}", row.long);
            }
            for (word, _) in WORDS {
                assert!(text.contains(word), "{shell:?} {word}");
            }
        }
    }
}
