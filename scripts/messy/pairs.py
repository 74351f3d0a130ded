"""Eight pairs of tables: the columns that a careful person would cluster, and the messy files.

Four pairs were for choosing the rules that read and weigh columns, four were set aside until these
were chosen. The columns and classes are real: tables of scikit-learn and of the field, and
newsgroups. Some numbers became dates or categories, in the clean tables, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from mvcc import load_dataset
from mvcc._utils.arrays import Ints
from scripts.messy import habits
from scripts.messy.habits import FRANCE, GERMANY, USA, Beside, Country, Random, Writer
from scripts.messy.mails import N_MAILS, mails

LACKING, MATCHED, GAPS = 0.1, 0.5, 0.03  # shares of objects, of common objects, and of cells


@dataclass(frozen=True, eq=False)
class Half:
    """One table of a pair: clean columns, a row for each object, and what a file makes of them."""

    file: str
    id_name: str
    clean: pd.DataFrame
    written: Mapping[str, Writer] = field(default_factory=dict)  # of columns that are not as usual
    beside: Mapping[str, Beside] = field(default_factory=dict)  # columns that say nothing
    copies: Mapping[str, str] = field(default_factory=dict)  # new name: column that is repeated
    raw: pd.DataFrame | None = None  # what the file has instead of the clean columns


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables of the same objects, whose classes are known."""

    country: Country
    halves: tuple[Half, Half]
    y: Ints
    answer: str  # the name of the column that holds the classes, if they are left in


@dataclass(frozen=True, eq=False)
class Drawn:
    """Files of a pair, the same tables cleaned, and the truth."""

    files: list[Path]
    matches: Path
    clean: list[pd.DataFrame]
    objects: list[Ints]  # the object that each row is
    y: Ints
    known: list[Ints]  # rows of the two tables that are known to match

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(np.unique(self.y))


def draw(pair: Pair, seed: int, folder: Path, *, with_answer: bool = False) -> Drawn:
    """Write files with drawn rows, some of which match; with codes of the classes, if asked for."""
    rng = np.random.default_rng(seed)
    n = len(pair.y)
    objects = [rng.permutation(n)[: round((1 - LACKING) * n)] for _ in pair.halves]
    ids = [_ids(letter, n, rng) for letter in "AB"]
    drawn = []
    for view, (half, chosen) in enumerate(zip(pair.halves, objects, strict=True)):
        clean = _with_gaps(half.clean.iloc[chosen].reset_index(drop=True), rng)
        cells = _cells(half, clean, chosen, pair.country, rng)
        if with_answer and view == 0:
            cells[pair.answer] = [f"{chr(65 + (7 * c) % 26)}{c}" for c in pair.y[chosen].tolist()]
        named = {half.id_name: [ids[view][i] for i in chosen]} | cells
        habits.save(folder / half.file, named, pair.country, rng)
        drawn.append(clean)
    common = np.intersect1d(*objects)
    both = rng.permutation(common)[: round(MATCHED * len(common))]
    titles = [half.id_name for half in pair.halves]
    matched = {title: [id_of[i] for i in both] for title, id_of in zip(titles, ids, strict=True)}
    matches = folder / "matches.csv"
    habits.save(matches, matched, pair.country, rng)
    known = [pd.Index(chosen).get_indexer(both) for chosen in objects]
    files = [folder / half.file for half in pair.halves]
    return Drawn(files, matches, drawn, objects, pair.y, known)


def _ids(letter: str, n: int, rng: Random) -> list[str]:
    return [f"{letter}-{i + 100}" for i in rng.permutation(n)]


def _with_gaps(clean: pd.DataFrame, rng: Random) -> pd.DataFrame:
    """Empty some cells of numbers and dates."""
    frame = clean.copy()
    for name in frame:
        if frame[name].dtype.kind in "fM":
            frame.loc[rng.random(len(frame)) < GAPS, name] = None
    return frame


def _cells(
    half: Half, clean: pd.DataFrame, chosen: Ints, country: Country, rng: Random
) -> dict[str, habits.Cells]:
    """Return the columns of the file, those that say nothing first and last."""
    frame = clean if half.raw is None else half.raw.iloc[chosen].reset_index(drop=True)
    usual = habits.plain if half.file.endswith((".xlsx", ".json")) else habits.as_text
    cells = {}
    for name in frame:
        by_kind = habits.dated if frame[name].dtype.kind == "M" else usual
        cells[str(name)] = half.written.get(str(name), by_kind)(frame[name], country)
    cells |= {name: cells[copied] for name, copied in half.copies.items()}
    beside = {name: make(len(chosen), rng) for name, make in half.beside.items()}
    names = list(beside)
    return {name: (beside | cells)[name] for name in [*names[:1], *cells, *names[1:]]}


def _named(values: Any, names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(np.asarray(values, dtype=float), columns=names)


def _days(numbers: pd.Series[Any], first: str, n_days: int) -> pd.Series[Any]:
    """Return numbers as dates, the lowest as the first of so many days."""
    share = (numbers - numbers.min()) / (numbers.max() - numbers.min())
    dates: pd.Series[Any] = pd.Timestamp(first) + pd.to_timedelta((share * n_days).round(), "D")
    return dates


def _steps(numbers: pd.Series[Any], words: list[str]) -> pd.Series[Any]:
    """Return numbers as as many categories, all of the same size."""
    return pd.qcut(numbers, len(words), labels=words).astype(str)


def wine_de() -> Pair:
    """Return a German wine list and laboratory, from scikit-learn's wine."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    wines = pd.DataFrame({
        "Alkohol": X["alcohol"] / 100,
        "Preis": X["proline"],
        "Asche": X["ash"],
        "Magnesium": X["magnesium"],
        "Abgefüllt am": _days(X["hue"], "2015-01-01", 900),
        "Farbe": _steps(X["color_intensity"], ["hell", "mittel", "dunkel"]),
    })  # fmt: skip
    lab = pd.DataFrame({
        "Apfelsäure": X["malic_acid"],
        "Alkalinität": X["alcalinity_of_ash"],
        "Phenole": X["total_phenols"],
        "Flavanoide": X["flavanoids"],
        "Proanthocyane": X["proanthocyanins"],
        "OD280": X["od280/od315_of_diluted_wines"],
    })  # fmt: skip
    first = Half(
        "Weinliste.csv", "Artikelnr.", wines,
        {
            "Alkohol": habits.percent(2),
            "Preis": habits.amount(after=" €"),
            "Magnesium": habits.amount(after=" mg", digits=0),
        },
        {
            "Lfd. Nr.": habits.row_numbers,
            "Kundennr.": habits.padded_numbers,
            "PLZ": habits.postal_codes,
            "Exportiert": habits.export_times,
        },
        {"Preis (2)": "Preis"},
    )  # fmt: skip
    second = Half(
        "Labor.xlsx", "Probe", lab,
        {"Flavanoide": habits.limited(0.08), "Phenole": habits.amount(after=" g/l")},
        {"Nr.": habits.row_numbers, "Mandant": habits.one_value("001")},
    )  # fmt: skip
    return Pair(GERMANY, (first, second), y.to_numpy(), "Regal")


def clinic_us() -> Pair:
    """Return a US clinic and laboratory, from scikit-learn's breast cancer."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = ["radius", "texture", "perimeter", "area", "smoothness", "compactness", "symmetry"]
    cells = pd.DataFrame({f"Mean {name}": X[f"mean {name}"] for name in names})
    cells["Last visit"] = _days(X["mean concavity"], "2019-03-01", 1500)
    cells["Mean area"] *= 10
    lab = pd.DataFrame({f"Worst {name}": X[f"worst {name}"] for name in names})
    lab["Billed"] = X["worst concavity"] * 5000
    lab["Concave points"] = _steps(X["worst concave points"], ["few", "some", "many"])
    first = Half(
        "patients.csv", "Patient ID", cells,
        {
            "Mean radius": habits.amount(after=" mm"),
            "Mean area": habits.amount(digits=1),
            "Mean smoothness": habits.percent(2),
        },
        {
            "Row": habits.row_numbers,
            "ZIP": habits.postal_codes,
            "Scan": habits.scans,
            "Exported at": habits.export_times,
        },
        {"Mean radius.1": "Mean radius"},
    )  # fmt: skip
    second = Half(
        "lab results.xlsx", "Specimen", lab,
        {"Billed": habits.amount("$"), "Worst smoothness": habits.limited(0.05, 3)},
        {"#": habits.row_numbers, "Phone": habits.phone_numbers},
    )  # fmt: skip
    return Pair(USA, (first, second), y.to_numpy(), "Ward")


def mails_us() -> Pair:
    """Return US mails with headers, beside an archive of their second halves, from newsgroups."""
    table, y = mails(0)
    raw = table[["Subject", "From", "Organization", "Lines"]].assign(
        Text=[text[: len(text) // 2] for text in table["body"]]
    )
    text = table["Subject"] + " " + table["own"].map(lambda own: own[: len(own) // 2])
    first = Half(
        "mails.csv", "mail", pd.DataFrame({"text": text}), raw=raw,
        beside={"row": habits.row_numbers, "exported": habits.export_times},
    )  # fmt: skip
    rest = pd.DataFrame({"content": [text[len(text) // 2 :] for text in table["body"]]})
    text = table["own"].map(lambda own: own[len(own) // 2 :])
    second = Half(
        "archive.json", "document", pd.DataFrame({"text": text}), raw=rest,
        beside={"file": habits.scans, "status": habits.one_value("open")},
    )  # fmt: skip
    return Pair(USA, (first, second), y, "Queue")


def numerals_fr() -> Pair:
    """Return French measurements of handwritten numerals, from the field's Handwritten."""
    views, y = _of_the_field("handwritten", 600)
    shapes = _named(views[1], [f"fou {n}" for n in range(1, 77)])
    moments = np.hstack([views[5], views[3]])
    names = [f"zernike {n}" for n in range(1, 48)] + [f"forme {n}" for n in range(1, 7)]
    first = Half(
        "formes.tsv", "N° image", shapes,
        beside={"Ligne": habits.row_numbers, "Code postal": habits.postal_codes},
        copies={"fou 1 bis": "fou 1"},
    )  # fmt: skip
    second = Half(
        "moments.csv", "N° mesure", _named(moments, names),
        {names[-1]: habits.amount(digits=1), names[0]: habits.amount(after=" mm")},
        {"Fichier": habits.scans, "Exporté le": habits.export_times},
    )  # fmt: skip
    return Pair(FRANCE, (first, second), y, "Rayon")


def forum_de() -> Pair:
    """Return a German forum, whose second table holds whole mails, from newsgroups."""
    table, y = mails(N_MAILS)
    days = pd.Series(np.random.default_rng(5).integers(0, 900, len(y)), dtype=float)
    raw = pd.DataFrame({
        "Betreff": table["Subject"],
        "Verfasser": table["From"],
        "Einrichtung": table["Organization"],
        "Datum": _days(days, "1992-01-01", 700),
        "Beitrag": [text[: len(text) // 2] for text in table["body"]],
    })  # fmt: skip
    text = table["Subject"] + " " + table["own"].map(lambda own: own[: len(own) // 2])
    first = Half(
        "Beiträge.csv", "Beitrag-Nr.", pd.DataFrame({"text": text}), raw=raw,
        beside={"Zeile": habits.row_numbers, "Stand": habits.export_times},
    )  # fmt: skip
    parts = zip(table["head"], table["body"], strict=True)
    whole = [f"{head}\n\n{body[len(body) // 2 :]}" for head, body in parts]
    text = table["own"].map(lambda own: own[len(own) // 2 :])
    second = Half(
        "Postfach.xlsx", "Nachricht", pd.DataFrame({"text": text}),
        raw=pd.DataFrame({"Quelltext": whole}),
        beside={"Datei": habits.scans, "Mandant": habits.one_value("007")},
    )  # fmt: skip
    return Pair(GERMANY, (first, second), y, "Rubrik")


def scans_de() -> Pair:
    """Return German scans, upper and lower halves, from scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:700]
    names = [f"P{pixel:02o}" for pixel in range(64)]
    upper, lower = _named(X[rows, :32], names[:32]), _named(X[rows, 32:], names[32:])
    first = Half(
        "oben.csv", "Beleg-Nr.", upper,
        beside={"Pos.": habits.row_numbers, "Telefon": habits.phone_numbers, "Scan": habits.scans},
        copies={"P03 Kopie": "P03"},
    )  # fmt: skip
    second = Half(
        "unten.xlsx", "Bogen", lower,
        {"P44": habits.amount(after=" %", digits=0)},
        {"Nr": habits.row_numbers, "Kundennummer": habits.padded_numbers},
    )  # fmt: skip
    return Pair(GERMANY, (first, second), y[rows], "Fach")


def photos_fr() -> Pair:
    """Return a French catalog of photographs, from the field's MSRC-v5."""
    views, y = _of_the_field("msrc_v5", 210)
    colors = _named(views[0], [f"couleur {n}" for n in range(1, 25)])
    colors["Pris le"] = _days(colors.pop("couleur 3"), "2018-06-01", 700)
    colors["Teinte"] = _steps(colors.pop("couleur 5"), ["pâle", "moyenne", "vive"])
    first = Half(
        "photos.csv", "Cote", colors,
        {"couleur 1": habits.percent(2)},
        {"N°": habits.row_numbers, "Fichier": habits.scans, "Tél.": habits.phone_numbers},
        {"couleur 2 (copie)": "couleur 2"},
    )  # fmt: skip
    gist = _named(views[2], [f"texture {n}" for n in range(1, 513)])
    second = Half(
        "textures.tsv", "Tirage", gist,
        beside={"Ligne": habits.row_numbers, "Exporté le": habits.export_times},
    )  # fmt: skip
    return Pair(FRANCE, (first, second), y, "Salle")


def flowers_us() -> Pair:
    """Return a US herbarium, from scikit-learn's iris."""
    X, y = load_iris(return_X_y=True)
    frame = _named(X, ["sepal length", "sepal width", "petal length", "petal width"])
    sepals = frame[["sepal length", "sepal width"]].copy()
    sepals["Collected"] = _days(frame["petal width"], "2020-02-03", 400)
    petals = frame[["petal length"]].copy()
    petals["Size"] = _steps(frame["sepal length"], ["small", "medium", "large"])
    petals["Appraisal"] = frame["petal width"] * 1500
    first = Half(
        "herbarium.csv", "Specimen No.", sepals,
        {"sepal length": habits.amount(after=" cm", digits=1)},
        {"Line": habits.row_numbers, "ZIP code": habits.postal_codes, "Photo": habits.scans},
        {"sepal length.1": "sepal length"},
    )  # fmt: skip
    second = Half(
        "petals.xlsx", "Sheet No.", petals,
        {"petal length": habits.limited(0.05, 1), "Appraisal": habits.amount("$")},
        {"Item": habits.row_numbers, "Account": habits.padded_numbers},
    )  # fmt: skip
    return Pair(USA, (first, second), y, "Drawer")


def _of_the_field(name: str, n: int) -> tuple[list[Any], Ints]:
    """Return the views of a data set of the field, of objects that are drawn once."""
    dataset = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(dataset.labels[0]))[:n]
    return [view[rows] for view in dataset.views], dataset.labels[0][rows]


CHOOSING = {make.__name__: make for make in (wine_de, clinic_us, mails_us, numerals_fr)}
SET_ASIDE = {make.__name__: make for make in (forum_de, scans_de, photos_fr, flowers_us)}
PAIRS = CHOOSING | SET_ASIDE
