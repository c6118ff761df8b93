"""Seconds on multi-phase loops: table II of the paper on split-TPA as table 5.2 of the thesis has it.

The two differ where the paper has files 24 (TPA below a second, not TO) and 39 (ERR) of the unsafe loops. By file from 01
on: split-TPA, TPA, Z3-Spacer, GSpacer, Eldarica; TO is a time-out after 300 s, ERR another end without an answer.
"""

SAFE = """
    26.28 TO TO TO TO; TO TO 133.28 <1 TO; TO TO TO TO 1.33
    TO TO TO <1 3.70; <1 <1 <1 <1 1.19; TO TO TO TO 3.95
    TO TO TO <1 1.32; TO TO TO TO TO; TO TO TO TO TO
    TO TO TO TO TO; TO TO TO 5.68 TO; TO TO TO TO 1.62
    <1 <1 ERR <1 1.16; 53.94 TO TO TO 118.78; TO TO TO TO TO
    TO TO TO TO TO; <1 37.50 TO <1 7.53; <1 <1 TO <1 3.66
    TO TO <1 <1 1.22; TO TO TO TO TO; <1 10.39 TO <1 15.45
    TO TO TO TO TO; <1 <1 ERR <1 1.79; TO TO TO TO TO
    TO 45.93 TO TO 9.33; 2.60 1.55 TO <1 TO; TO TO TO TO TO
    <1 TO TO TO 1.61; 3.94 TO TO 118.98 34.22; TO TO TO TO 20.48
    TO TO TO <1 1.60; TO TO TO 11.49 TO; TO TO TO TO TO
    TO TO TO <1 5.86; TO TO TO <1 1.80; <1 <1 TO <1 1.92
    <1 <1 <1 <1 14.33; TO <1 TO <1 1.36; TO TO 67.41 58.73 2.48
    109.05 TO TO TO ERR; TO TO TO TO TO; TO TO TO <1 4.37
    TO TO TO 5.20 TO; TO TO TO TO TO; TO TO TO TO TO
    TO 288.20 13.07 <1 1.28; TO TO TO TO TO; 47.00 TO TO TO TO
    122.96 TO TO TO TO; TO TO TO TO TO; TO TO TO TO TO
    235.24 TO TO TO TO; 147.28 TO TO TO TO; 133.63 TO TO TO TO
"""

UNSAFE = """
    14.53 10.12 TO TO TO; <1 <1 1.25 TO TO; <1 <1 <1 <1 1.16
    TO TO TO TO TO; <1 <1 <1 <1 1.18; TO TO TO TO TO
    TO TO TO TO TO; TO TO TO TO TO; TO TO TO TO TO
    20.40 233.78 TO TO TO; 152.28 TO TO TO TO; TO TO TO TO TO
    <1 <1 <1 <1 1.13; <1 <1 <1 8.91 89.78; TO TO TO TO TO
    TO TO TO TO TO; 14.84 15.81 181.59 TO TO; <1 <1 <1 <1 1.57
    <1 <1 <1 <1 20.74; TO TO TO TO TO; <1 <1 <1 <1 10.63
    TO TO TO TO TO; <1 <1 <1 <1 1.17; <1 TO 96.64 TO TO
    <1 <1 <1 <1 1.19; 2.01 1.46 TO TO TO; <1 <1 TO TO TO
    <1 <1 TO TO 162.43; <1 <1 2.76 32.56 45.75; <1 <1 <1 <1 10.22
    TO TO TO TO TO; <1 <1 <1 <1 7.17; <1 <1 <1 <1 1.21
    <1 <1 <1 <1 1.15; <1 <1 <1 <1 1.20; 16.68 14.45 TO TO TO
    <1 <1 <1 <1 13.37; 262.18 TO TO TO TO; TO TO TO ERR TO
    <1 <1 <1 133.07 ERR; TO 4.60 TO TO TO; 18.31 40.39 TO TO TO
    TO TO TO TO TO; 34.18 TO TO TO TO; TO TO TO TO TO
    TO 239.05 TO TO TO; 5.71 6.79 TO TO TO; 17.52 12.10 TO TO TO
    32.59 12.49 TO TO TO; TO TO TO TO TO; 6.71 11.57 TO TO TO
    70.83 82.43 TO TO TO; 57.42 33.00 TO TO TO; 40.74 15.15 TO TO TO
"""


def times(text):
    """The entries by number of the file."""
    rows = [row.split() for line in text.strip().splitlines() for row in line.strip().split(";")]
    return {f"{number:02}": row for number, row in enumerate(rows, 1)}


PUBLISHED = {"multi-phase-safe": times(SAFE), "multi-phase-unsafe": times(UNSAFE)}
