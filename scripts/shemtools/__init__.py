"""What the scripts share: see `scripts/check --help` and `scripts/bench --help`."""
