"""The experiments, by paper. All figures are those that the papers print; what only a plot shows is not here as a number.

Thesis: Blicha, "A Three-Layer Approach to CHC Solving" (2023). TPA: Blicha et al., TACAS 2022. split-TPA: the same, FMCAD
2022. Golem: the journal article on the solver, whose figures are of version 0.5.0.
PD-KIND: Henrych, "The PD-KIND Algorithm in the Golem CHC Solver" (2024).
"""
from shemtools.experiments.model import Configuration as Run
from shemtools.experiments.model import Experiment
from shemtools.experiments.multi_phase import PUBLISHED

THESIS, TPA, SPLIT, GOLEM, PDKIND = "thesis", "TPA", "split-TPA", "Golem", "PD-KIND"
BOTH = ("multi-phase-safe", "multi-phase-unsafe")

# Interpolation algorithms of the thesis, chapter 3, and the engine that takes the place of Sally.
FARKAS = Run("Itp_F", "-e pdkind --lra-itp-algorithm=0")
DUAL = Run("Itp'_F", "-e pdkind --lra-itp-algorithm=2")
DECOMPOSED = Run("Itp_DI", "-e pdkind --lra-itp-algorithm=4")
DUAL_DECOMPOSED = Run("Itp'_DI", "-e pdkind --lra-itp-algorithm=5")
PROTOCOLS = ("lra-lin", "lra-ts")

BMC, KIND, IMC, LAWI = (Run(name, f"-e {name.lower()}", baseline=f"golem-{name.lower()}")
                        for name in ("BMC", "KIND", "IMC", "LAWI"))
SPACER = Run("Spacer", "-e spacer", baseline="golem-spacer")
SPLIT_TPA = Run("split-TPA", "-e split-tpa", baseline="golem-split-tpa")
TPA_MBP = Run("TPA", "-e tpa", baseline="golem-tpa")
TPA_QE = Run("TPA-QE", "-e tpa --tpa.use-qe")
PD_KIND = Run("PDKind", "-e pdkind", baseline="golem-pdkind")
Z3_SPACER, GSPACER = Run("Z3-Spacer", baseline="z3"), Run("GSpacer", baseline="z3-global")
ELDARICA, IC3_IA, Z3_BMC = Run("Eldarica"), Run("IC3-IA"), Run("Z3-BMC")


def instances(name, count, share="all", more="", engine="pdkind"):
    """So many instances of an engine on as many virtual cores."""
    words = f"-e {engine} --instances {count} --share {share} {more}" if count > 1 else f"-e {engine} {more}"
    return Run(name, words.strip(), cores=count)


ALONE = [instances(f"sally-{name}", 1, more=f"--lra-itp-algorithm={number}")
         for name, number in (("PF", 0), ("DF", 2), ("PD", 4))]

# What the form `pure` switches off in transition power abstraction, one by one.
PARTS = tuple(Run(f"{engine}{name}", f"-e {engine}{words}") for engine in ("tpa", "split-tpa") for name, words in (
    ("", ""), (" with `tpa.runs=no`", " --tpa.runs=no"), (" with `tpa.stuttering`", " --tpa.stuttering")))

EXPERIMENTS = [
    Experiment(
        "pure", "", "what pure engines do without in transition power abstraction", BOTH, PARTS, "by_set",
        {name: {} for name in BOTH}),
    Experiment(
        "thesis-table-3.1", THESIS, "what four ways to interpolate are worth for a model checker that learns from interpolants",
        PROTOCOLS, (FARKAS, DUAL, DECOMPOSED, DUAL_DECOMPOSED), "by_answer",
        {"Itp_F": (612, 390), "Itp'_F": (607, 386), "Itp_DI": (611, 385), "Itp'_DI": (573, 377)},
        files="1,105 files of Sally, 600 s"),
    Experiment(
        "thesis-figure-3.3", THESIS, "Farkas and decomposed interpolants, file by file",
        PROTOCOLS, (FARKAS, DECOMPOSED), "duel",
        {"only Itp_DI": 12, "at least 10 s, both": 116, "of these, Itp_DI more than a tenth faster": 45},
        files="1,105 files of Sally, 600 s", plot="scatter"),
    Experiment(
        "thesis-table-3.2", THESIS, "files that decomposition solves and Farkas does not, with many seeds",
        PROTOCOLS, (FARKAS, DECOMPOSED), "by_seed",
        {"fib_benc_safe_v1": (0, 100), "fib_benc_safe_v2": (0, 100), "dillig01.c": (0, 100), "dillig03.c": (0, 100),
         "lifnat.c": (17, 29), "lfht_2_mini_cleaned.prop1": (21, 57), "lfht_2_mini_lemma5c": (18, 69),
         "lfht_2_mini_lemma5e": (0, 30), "lfht_2_mini_lemma5f": (1, 39), "lfht_2_mini_lemma5g": (22, 47),
         "DRAGON_12_e2_1618_e2_138": (99, 100), "mvs_with_timeouts3": (73, 98)},
        files="12 files, 100 seeds, 600 s", seeds=True),
    Experiment(
        "thesis-table-3.3", THESIS, "how often vectors of Farkas coefficients can be decomposed",
        PROTOCOLS, (DECOMPOSED,), "decompositions",
        {"approxagree": (9, 1, 7, 7), "azadmanesh": (20, 0, 1818, 0), "cav12": (99, 40, 707414, 6464),
         "conc": (6, 3, 39135, 25603), "ctigar": (110, 70, 4064827, 1106642), "hacms": (5, 5, 424532, 32331),
         "lfht": (27, 14, 786837, 126568), "lustre": (790, 327, 2916829, 2001503), "misc": (10, 8, 59266, 12054),
         "om": (9, 6, 974, 380), "ttastartup": (3, 3, 117303, 12165), "ttesynchro": (6, 4, 90, 90),
         "unifapprox": (11, 1, 1, 1)},
        files="1,105 files of Sally, 600 s"),
    Experiment(
        "thesis-table-3.4", THESIS, "what each way to interpolate adds to a virtual portfolio",
        PROTOCOLS, (FARKAS, DUAL, DECOMPOSED), "portfolio",
        {"Itp_F": (4, 4046, 3.5), "Itp'_F": (3, 4586, 3.9), "Itp_DI": (10, 10245, 8.8)},
        files="1,105 files of Sally, 600 s"),
    Experiment(
        "tpa-figure-2", TPA, "counterexamples of 2N steps for N to 511", ("phases",), (TPA_MBP, TPA_QE), "by_size",
        {"TPA": "all 511, less than 2 s each", "TPA-QE": "significantly worse, with drops at powers of two"},
        files="511 members, 300 s", plot="sizes",
        sizes=(1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511)),
    Experiment(
        "thesis-figure-5.3", THESIS, "counterexamples of 2N steps", ("phases",), (), "", same_as="tpa-figure-2"),
    Experiment(
        "tpa-figure-3", TPA, "unsafe multi-phase loops", ("multi-phase-unsafe",),
        (TPA_MBP, TPA_QE, SPACER, Z3_SPACER), "totals", {"TPA": 35, "TPA-QE": 20, "Z3-Spacer": 20},
        files="54 files, 300 s", plot="cactus"),
    Experiment(
        "thesis-figure-5.4", THESIS, "unsafe multi-phase loops", ("multi-phase-unsafe",), (), "", same_as="tpa-figure-3"),
    Experiment(
        "split-tpa-table-1", SPLIT, "multi-phase loops by split-TPA, TPA and others", BOTH,
        (SPLIT_TPA, TPA_MBP, Z3_SPACER, GSPACER, ELDARICA), "by_set",
        {"multi-phase-safe": {"split-TPA": "19 (7)", "TPA": "12 (0)", "Z3-Spacer": "6 (0)", "GSpacer": "24 (3)",
                              "Eldarica": "26 (4)"},
         "multi-phase-unsafe": {"split-TPA": "37 (3)", "TPA": "35 (2)", "Z3-Spacer": "20 (0)", "GSpacer": "17 (0)",
                                "Eldarica": "17 (0)"}},
        files="54 files each, 300 s"),
    Experiment(
        "thesis-table-5.1", THESIS, "multi-phase loops by split-TPA, TPA and others", BOTH, (), "",
        same_as="split-tpa-table-1"),
    Experiment(
        "split-tpa-table-2", SPLIT, "the same, file by file", BOTH, (SPLIT_TPA, TPA_MBP), "by_file", PUBLISHED,
        files="54 files each, 300 s"),
    Experiment(
        "thesis-table-5.2", THESIS, "multi-phase loops, file by file", BOTH, (), "", same_as="split-tpa-table-2"),
    Experiment(
        "split-tpa-section-6", SPLIT, "which transition invariants prove safety", ("lra-ts", "multi-phase-safe"),
        (SPLIT_TPA,), "invariants",
        {"lra-ts": {"less": 63, "equal": 65, "full": 81, "left": 47, "right": 0},
         "multi-phase-safe": {"less": 4, "equal": 15, "full": 15, "left": 4, "right": 0}},
        files="128 of 498 files of LRA-TS and 19 of 54, 300 s"),
    Experiment(
        "thesis-table-5.3", THESIS, "the engines of Golem 0.3.1 on transition systems", ("lra-ts",),
        (BMC, KIND, LAWI, SPACER, SPLIT_TPA, TPA_MBP), "by_answer",
        {"BMC": (0, 86), "KIND": (260, 84), "LAWI": (279, 76), "Spacer": (190, 69), "split-TPA": (127, 72),
         "TPA": (66, 67)}, files="498 files, 300 s", plot="cactus"),
    Experiment(
        "thesis-table-5.4", THESIS, "small, hard loops over the integers", ("extra-small-lia",),
        (TPA_MBP, SPLIT_TPA, LAWI, SPACER, Z3_SPACER, ELDARICA), "totals",
        {"TPA": 31, "split-TPA": 44, "LAWI": 12, "Spacer": 18, "Z3-Spacer": 16, "Eldarica": 36}, files="55 files, 300 s"),
    Experiment(
        "thesis-table-5.5", THESIS, "linear clauses over the integers", ("lia-lin",), (LAWI, SPACER, Z3_SPACER, ELDARICA),
        "by_answer", {"LAWI": (131, 77), "Spacer": (184, 82), "Z3-Spacer": (211, 96), "Eldarica": (183, 60)},
        files="499 files, 300 s"),
    Experiment(
        "thesis-table-5.6", THESIS, "nonlinear clauses over the integers", ("lia-nonlin",), (SPACER, Z3_SPACER, ELDARICA),
        "by_answer", {"Spacer": (239, 124), "Z3-Spacer": (248, 139), "Eldarica": (221, 122)}, files="456 files, 300 s"),
    Experiment(
        "thesis-figure-5.6", THESIS, "Spacer and Z3-Spacer, file by file", ("lia-nonlin",), (SPACER, Z3_SPACER), "duel",
        {}, files="456 files, 300 s", plot="scatter"),
    Experiment(
        "thesis-figure-6.3", THESIS, "nine instances that share lemmas, beside one", ("lra-ts",),
        (ALONE[2], instances("p9-sally-sall", 9)), "duel",
        {"sally-PD": 197, "p9-sally-sall": 224, "speed-up on many files": 4}, files="237 files, 1,000 s", plot="scatter"),
    Experiment(
        "thesis-figure-6.4", THESIS, "six instances of PD-KIND, six of Spacer", ("lra-ts",),
        (instances("p6-sally-sall", 6), instances("P3", 6, engine="spacer"), instances("Spacer", 1, engine="spacer")),
        "by_answer", {}, files="237 files, 1,000 s", plot="cactus"),
    Experiment(
        "thesis-figure-6.5", THESIS, "what lemmas of reachability and of induction are worth", ("lra-ts",),
        (*ALONE, instances("p6-sally-sno", 6, "none"), instances("p6-sally-sreach", 6, "reach"),
         instances("p6-sally-sind", 6, "induction"), instances("p6-sally-sall", 6)), "totals", {},
        files="237 files, 1,000 s", plot="cactus"),
    Experiment(
        "thesis-figure-6.6", THESIS, "one, two, six and nine instances", ("lra-ts",),
        (ALONE[2], instances("p2-sally-sall", 2), instances("p6-sally-sall", 6), instances("p9-sally-sall", 9)),
        "totals", {"sally-PD": 197, "p2-sally-sall": 213, "p6-sally-sall": 221, "p9-sally-sall": 224},
        files="237 files, 1,000 s", plot="cactus"),
    Experiment(
        "thesis-figure-6.7", THESIS, "one interpolation algorithm for all instances, or several", ("lra-ts",),
        (instances("p2-sally-sall", 2), instances("p6-sally-sall-PF", 6, more="--lra-itp-algorithm=0"),
         instances("p6-sally-sall-PD", 6, more="--lra-itp-algorithm=4"), instances("p6-sally-sall", 6)),
        "totals", {"p2-sally-sall": 213, "p6-sally-sall": 221}, files="237 files, 1,000 s", plot="cactus"),
    Experiment(
        "pdkind-table-6.1", PDKIND, "PD-KIND beside Spacer and k-induction", ("lra-ts",), (PD_KIND, SPACER, KIND),
        "by_answer", {"PDKind": (242, 68), "Spacer": (214, 70), "KIND": (260, 84)}, files="498 files, 300 s",
        plot="cactus"),
    Experiment(
        "golem-table-1", GOLEM, "the engines of Golem 0.5.0 on transition systems", ("lra-ts",),
        (BMC, KIND, IMC, LAWI, SPACER, SPLIT_TPA), "by_answer",
        {"BMC": (0, 86), "KIND": (260, 85), "IMC": (140, 70), "LAWI": (288, 76), "Spacer": (214, 70),
         "split-TPA": (128, 72), "virtual best": (364, 86)}, files="498 files, 300 s", plot="cactus"),
    Experiment(
        "golem-table-2", GOLEM, "small, hard loops over the integers", ("extra-small-lia",),
        (SPLIT_TPA, LAWI, SPACER, Z3_SPACER, ELDARICA), "totals",
        {"split-TPA": 23, "LAWI": 13, "Spacer": 18, "Z3-Spacer": 17, "Eldarica": 36}, files="55 files, 300 s"),
    Experiment(
        "golem-table-3", GOLEM, "linear clauses over the integers", ("lia-lin",), (LAWI, SPACER, Z3_SPACER, ELDARICA),
        "by_answer", {"LAWI": (151, 86), "Spacer": (189, 84), "Z3-Spacer": (198, 89), "Eldarica": (182, 60)},
        files="499 files, 300 s"),
    Experiment(
        "golem-table-4", GOLEM, "nonlinear clauses over the integers", ("lia-nonlin",), (SPACER, Z3_SPACER, ELDARICA),
        "by_answer", {"Spacer": (241, 126), "Z3-Spacer": (267, 123), "Eldarica": (218, 122)}, files="456 files, 300 s"),
]

BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}


def named(name):
    """The experiment of a name; that of another paper if it is the same one."""
    experiment = BY_NAME[name]
    return BY_NAME[experiment.same_as] if experiment.same_as else experiment


def chosen(names):
    """The experiments of these names, each once; `all` for all that there are. A name may be the beginning of several."""
    found = []
    for name in names:
        matching = [name] if name in BY_NAME else [one for one in BY_NAME if name == "all" or one.startswith(name)]
        if not matching:
            raise SystemExit(f"there is no experiment {name}: scripts/papers list")
        found += [named(one) for one in matching]
    return list(dict.fromkeys(one.name for one in found))
