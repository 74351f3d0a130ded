"""Numbers, texts, categories and dates as people write them; ids and labels are left out."""

import datetime
import json
import os
import re
import subprocess
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mvcc import cluster_views, load_model
from mvcc.embedding import MixedFeatures
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.results import ColumnFacts, column_lines, columns_used, parse_facts
from mvcc.tables._job import View
from mvcc.tables.explaining._distinguishing import written
from mvcc.tables.reading._codes import file_reason, looks_like_codes
from mvcc.tables.reading._column import GLANCE, Column, LeftOut, Written, numbers_by_arrow
from mvcc.tables.reading._columns import read_like
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._missing_numbers import notes_on_far_values
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import table_of
from tests.command_line import mvcc
from tests.tables.problems import (
    QUICK,
    cluster,
    options_of,
    read_csv,
    read_table,
    write_csv,
    write_workbook,
)

TWO_DIGITS = "years of two digits are from 1969 to 2068"
FLAGGED = "values read without the flag behind"
BELOW = "in parentheses read as below 0"
COMMAS = "with commas for thousands"
LIMIT = "below or above a limit read as the limit"
MIDDLE = "read as the middle"
OPEN = "40- is 40 or more"
NO_WORDS = "neither words nor numbers or dates as they are read"
NO_END = "9999-12-31 is a date; leave it empty for no end"


def read(folder, content, name="t.csv", **options):
    path = folder / name
    if isinstance(content, pd.DataFrame):
        content = content.to_csv(index=False)
    path.write_text(content, encoding="utf-8")
    return read_table("shop", View(path=str(path), **options))


def lines_of(table):
    return [*column_lines([ColumnFacts(**column.to_dict()) for column in table.every_column])]


def column_of(folder, values, delimiter=";", **options):
    """Return what becomes of a column of values a|b beside one of numbers, and how it is read."""
    rows = [f"{n}{delimiter}{n}{delimiter}{value}\n" for n, value in enumerate(values.split("|"))]
    table = read(folder, f"id{delimiter}n{delimiter}c\n{''.join(rows)}", **options)
    return table.every_column[2], list(pd.DataFrame(table.X, columns=table.columns)["c"])


def assert_is_read(folder, values, kind, note, found):
    column, read_values = column_of(folder, values)
    assert (column.kind, column.note) == (kind, note)
    assert column.n_missing == sum(value is None for value in found)
    for one, other in zip(read_values, found, strict=True):
        assert pd.isna(one) if other is None else one == pytest.approx(other)


@pytest.mark.parametrize(("values", "note", "found"), [
    ("1|2.5|-3e2", "", [1, 2.5, -300]),
    ("1||NA|n/a|?|null|2", "", [1, *[None] * 5, 2]),
    ("1|-|k.A.|n. b.|—|2", "", [1, *[None] * 4, 2]),
    ("1|k. A.|n/d|s/d|N.v.t.|2", "", [1, *[None] * 4, 2]),
    ("1|brak danych|saknas|нет данных|無回答|2", "", [1, *[None] * 4, 2]),
    ("1.1987|1.2034" + "|1.1987|1.2034" * 4, "", [1.1987, 1.2034] * 5),
    ("1.234,5|12|,5", "with decimal commas", [1234.5, 12, 0.5]),
    ("1,5|2.000", "with decimal commas", [1.5, 2000]),
    ("1,234|5,678", "with decimal commas", [1.234, 5.678]),
    ("1,234.5|12|1,000", COMMAS, [1234.5, 12, 1000]),
    ("1 234|1\u00a0234\u00a0567", "with separators of thousands", [1234, 1234567]),
    ("1.170,00 €|850 €", "in €, with decimal commas", [1170, 850]),
    ("€ 1.170|€ 850,-", "in €, with points for thousands", [1170, 850]),
    ("850.-|12.50", "", [850, 12.5]),
    ("5.24-|6.8|7−", "", [-5.24, 6.8, -7]),
    ("2|3-|1-", "2 values with a minus behind read as below 0", [2, -3, -1]),
    ("828|(828)|3", f"1 value {BELOW}", [828, -828, 3]),
    ("$1,200|$ (1,200.50)|($3)", f"in $, {COMMAS}, 2 values {BELOW}", [1200, -1200.5, -3]),
    ("2,207E+02|2,934E-05", "with decimal commas", [220.7, 2.934e-5]),
    ("$1,200|-$7.5", f"in $, {COMMAS}", [1200, -7.5]),
    ("CHF 1'200.50|chf 3", "in CHF, with separators of thousands", [1200.5, 3]),
    ("₹1,00,000|Rs. 2,500", f"in ₹, {COMMAS}", [1e5, 2500]),
    ("R$ 1.170,50|R$ 3,00", "in R$, with decimal commas", [1170.5, 3]),
    ("30,000円|￥5,000", f"in ¥, {COMMAS}", [3e4, 5000]),
    ("１２|－３．５|－|4", "", [12, -3.5, None, 4]),
    ("3,500万円|980円|1.2億円", f"in ¥, {COMMAS}", [35e6, 980, 1.2e8]),
    ("1.250 TL|85,50 ₺|TRY 3", "in ₺, with decimal commas", [1250, 85.5, 3]),
    ("1 250,50 руб.|85 ₽", "in ₽, with decimal commas", [1250.5, 85]),
    ("₩1,250|12,000원", f"in ₩, {COMMAS}", [1250, 12000]),
    ("１，２００円|￥ ５,000", f"in ¥, {COMMAS}", [1200, 5000]),
    ("68 kg|7e1 Kg|2kg", "in kg", [68, 70, 2]),
    ("68 N*m|70 N*m|2 N*m", "in N*m", [68, 70, 2]),
    ("1.234 kg|5.678 kg", "in kg", [1.234, 5.678]),
    ("9,80 €/kg|1.012,5 eur / kg", "in €/kg, with decimal commas", [9.8, 1012.5]),
    ("$1,200 per night|$80 per night", f"in $ per night, {COMMAS}", [1200, 80]),
    ("1,850.5 sq. ft|90 sq. ft", f"in sq. ft, {COMMAS}", [1850.5, 90]),
    ("4 square feet|5 square feet", "in square feet", [4, 5]),
    ("1.200 €/m²|980 €/m²", "in €/m², with points for thousands", [1200, 980]),
    ("9,3 l/100km|8 l/100 km", "in l/100km, with decimal commas", [9.3, 8]),
    ("7.5/10|8/10|9 / 10", "in /10", [7.5, 8, 9]),
    ("16,5/20|8/20|20/20", "in /20, with decimal commas", [16.5, 8, 20]),
    ("13,5 % vol|9 % Vol|8 % vol", "in % vol, with decimal commas", [13.5, 9, 8]),
    ("3 days|1 day|2.5 days", "in days", [3, 1, 2.5]),
    ("2 Wochen|1 Woche|1 Wochen", "in Wochen", [2, 1, 1]),
    ("$2.4M|$850k|$1.125 m|$90.5", "in $", [2.4e6, 85e4, 1.125e6, 90.5]),
    ("$1.125M|$2.375M", "in $", [1.125e6, 2.375e6]),
    ("£1,200 pcm|£850 pcm", f"in £ pcm, {COMMAS}", [1200, 850]),
    ("US $12.50|$3 USD|usd $4", "in $", [12.5, 3, 4]),
    ("4 mg/dl|5|6 mg/dl", "in mg/dl, 1 value without the unit", [4, 5, 6]),
    ("3.3k|0|57K|0.7k", "in k, 1 value without the unit", [3.3, 0, 57, 0.7]),
    ("35 %|0.0|5 %", "in %, 1 value without the unit", [35, 0, 5]),
    ("95%|91|88 %", "in %, 1 value without the unit", [95, 91, 88]),
    ("2|0,5 h|1,5|4 h|1|3 h|2", "in h, with decimal commas, 4 values without the unit",
     [2, 0.5, 1.5, 4, 1, 3, 2]),
    ("16,4 H|7|5 L|8", f"with decimal commas, 2 {FLAGGED}", [16.4, 7, 5, 8]),
    ("16.4*|7|9**|8|9↑|7", f"3 {FLAGGED}", [16.4, 7, 9, 8, 9, 7]),
    ("3*|5*|4**", f"3 {FLAGGED}", [3, 5, 4]),
    ("5 g/l H|7 g/l|8 g/l ↑|6 g/l*", f"in g/l, 3 {FLAGGED}", [5, 7, 8, 6]),
    ("5%|7%↓|9%↑", f"in %, 2 {FLAGGED}", [5, 7, 9]),
    ("3.3m|57|0.7m", "in m, 1 value without the unit", [3.3, 57, 0.7]),
    ("5|<0.05|> 9", f"2 values {LIMIT}", [5, 0.05, 9]),
    ("Under $5,000|$5,000 - $9,000|$9,000 or more",
     f"in $, {COMMAS}, 2 values {LIMIT}, 1 range {MIDDLE}", [5000, 7000, 9000]),
    ("weniger als 1 Jahr|1-3 Jahre|mehr als 3 Jahre|10 Jahre und mehr|bis 5 Jahre",
     f"in Jahre, 4 values {LIMIT}, 1 range {MIDDLE}", [1, 2, 3, 10, 5]),
    ("menos de 2 horas|2 a 4 horas|mais de 7 horas|8 horas o más",
     f"in horas, 3 values {LIMIT}, 1 range {MIDDLE}", [2, 3, 7, 8]),
    ("meno di 2|minder dan 3|5 tot 6|7 eller mere", f"3 values {LIMIT}, 1 range {MIDDLE}",
     [2, 3, 5.5, 7]),
    ("3|0|5+", f"1 value {LIMIT}", [3, 0, 5]),
    ("18-29|30-65|66+", f"1 value {LIMIT}, 2 ranges {MIDDLE}", [23.5, 47.5, 66]),
    ("31-40|21-24|40+", f"1 value {LIMIT}, 2 ranges {MIDDLE}", [35.5, 22.5, 40]),
    ("1993-1996|2000-", f"{OPEN}, 1 value {LIMIT}, 1 range {MIDDLE}", [1994.5, 2000]),
    ("50-||55−", "2 values with a minus behind read as below 0", [-50, None, -55]),
    ("12.50-||3.00-", "", [-12.5, None, -3]),  # as SAP writes amounts
    ("$1,000+|$500+", f"in $, {COMMAS}, 2 values {LIMIT}", [1000, 500]),
    ("$1,000 - $2,000|$500 to 700", f"in $, {COMMAS}, 2 ranges {MIDDLE}", [1500, 600]),
    ("0.05-0.15|1,000-3,000", f"{COMMAS}, 2 ranges {MIDDLE}", [0.1, 2000]),
    ("3-5|18 – 20|7", f"2 ranges {MIDDLE}", [4, 19, 7]),
    ("1.234|5.678", "1.234 read as 1.234, not as 1234", [1.234, 5.678]),
    ("1:23:45||0:30:57|0:00:01.5", "in seconds", [5025, None, 1857, 1.5]),
    ("2:30||30:57", "in seconds, read as hours and minutes", [9e3, None, 111420]),
    ("0 days 01:23:45|1 days 00:00:01.500000", "in seconds", [5025, 86401.5]),
    ("1 day, 2:00:00|-1 day, 23:59:00|0:00:09", "in seconds", [93600, -60, 9]),
    ("true|False||TRUE", "true is 1", [1, 0, None, 1]),
    ("yes|no|no", "yes is 1", [1, 0, 0]),
    ("Ja|nein||ja", "ja is 1", [1, 0, None, 1]),
    ("wahr|FALSCH", "wahr is 1", [1, 0]),
    ("oui|non", "oui is 1", [1, 0]),
    ("Sim|Não", "sim is 1", [1, 0]),
    ("ja|nee", "ja is 1, nee 0", [1, 0]),
    ("x||X", "x is 1", [1, 0, 1]),
])  # fmt: skip
def test_numbers_are_read_as_people_write_them(tmp_path, values, note, found):
    assert_is_read(tmp_path, values, "number", note, found)


@pytest.mark.parametrize(
    ("values", "new", "found"),
    [
        ("yes|no|no", "1|no|0|YES", [1, 0, 0, 1]),
        ("+|-||++|-|+|+", "-|", ["-", None]),  # a dash is a value without a plus beside it, too
        ("16.4|<7|9 H|5 L|8|7|6", "3 L|4", [3, 4]),  # a flag is none of their units
        ("1993-1996|2000-", "1990-|1990", [1990, 1990]),
    ],
)
def test_new_values_are_read_as_those_that_were_clustered(tmp_path, values, new, found):
    column, _ = column_of(tmp_path, values)
    (read_again,) = read_like([column], pd.DataFrame({"c": new.split("|")})).values()
    assert read_again.values.tolist() == found


DOTS = "day.month.year"
DASHES = "year-month-day"
ALSO = f"{DASHES}, 1900-01-01 is a date; add it to `missing` if it stands for none"


@pytest.mark.parametrize(("values", "note", "found"), [
    ("2020-01-01||2020-01-03", DASHES, [18262, None, 18264]),
    ("2020-01-01|0000-00-00|0000-00-00 00:00:00", DASHES, [18262, None, None]),
    ("1.2.2020|28.12.2020", DOTS, [18293, 18624]),
    ("1600-01-01|2300-01-01", DASHES, [-135140, 120530]),
    ("31.12.2300|01.01.0001 ", DOTS, [120894, -719162]),
    ("9999-12-31|9999-12-30 06:00", f"{DASHES}, {NO_END}", [2932896, 2932895.25]),
    ("12/31/2020|01/02/2020", "month/day/year", [18627, 18263]),
    ("13/02/2020|03/04/20", f"day/month/year, {TWO_DIGITS}", [18305, 18355]),
    ("17.03.45|1.2.1969", f"{DOTS}, {TWO_DIGITS}", [27469, -334]),
    ("12.03.48|1.2.71", f"{DOTS}, {TWO_DIGITS}, write years of four digits if 2048 means 1948",
     [28560, 396]),
    ("12-31-2020 1:30 PM|1-2-2020", "month-day-year", [18627.5625, 18263]),
    ("17.08.2016|2017-06-07", f"{DOTS}, also {DASHES}", [17030, 17324]),
    ("1900-01-01|2020-01-01|1900-01-01", ALSO, [-25567, 18262, -25567]),
    ("3. Mai 2023|12 déc. 2023|5 de marzo de 2020", DOTS, [19480, 19703, 18326]),
    ("3 mei 2023|12/dez./2023|5 maart 2020", DOTS, [19480, 19703, 18326]),
    ("terça-feira, 3 de maio de 2023|1 fev 2020", DOTS, [19480, 18293]),
    ("agosto de 2020|out/2021", DOTS, [18475, 18901]),
    ("May 3, 2023|Sun, 03 Sep 2023 06:00:00 +0000", DOTS, [19480, 19603.25]),
    ("12DEC2023|3-Oct-23", f"{DOTS}, {TWO_DIGITS}", [19703, 19633]),
    ("08.2020|11.2021|", DOTS, [18475, 18932, None]),
    ("8.2020|11.2021" + "|8.2020|11.2021" * 4, DOTS, [18475, 18932] * 5),
    ("08/2020|Nov. 2021", DOTS, [18475, 18932]),
    ("2020-08|2021-11", DASHES, [18475, 18932]),
    ("2020-08-13|2021-11|2021", DASHES, [18487, 18932, 18628]),
    ("2020 Aug|2021-Nov", DASHES, [18475, 18932]),
    ("2020M08|2021M11", DASHES, [18475, 18932]),
    ("2020-Q3|2021Q4|2020 Q3", DASHES, [18444, 18901, 18444]),
    ("Q3 2020|Q4-2021|Q32020", DOTS, [18444, 18901, 18444]),
    ("1969|1970-01-02|1971", DASHES, [-365, 1, 365]),
    ("2023年5月3日|2023年12月12日 6:00", DASHES, [19480, 19703.25]),
    ("2023年5月3日|2023年12月|令和5年5月3日", DASHES, [19480, 19692, 19480]),
    ("昭和64年1月7日|平成元年1月8日", DASHES, [6946, 6947]),
    ("２０２３／０５／０３|2023/12/12", "year/month/day", [19480, 19703]),
    ("2020-01-01T12:00:00+02:00|2020-01-02", DASHES, [18262 + 10 / 24, 18263]),
    ("2020-01-01 18:00:00 +0000 UTC|2020-01-02 06:00 gmt|2020-01-02 18:00Z (UTC)", DASHES,
     [18262.75, 18263.25, 18263.75]),
    ("2020-01-01 06:00:00 UTC+2|2020-01-02 18:00 GMT-0200", DASHES,
     [18262 + 4 / 24, 18263 + 20 / 24]),
])  # fmt: skip
def test_dates_are_read_as_people_write_them(tmp_path, values, note, found):
    assert_is_read(tmp_path, values, "date", note, found)


@pytest.mark.parametrize("empty", ["", "20240101"])
def test_numbers_that_are_all_days_are_dates_also_in_new_rows(tmp_path, empty):
    days = [*(f"2023{1 + n:02}{3 + n:02}" for n in range(11)), empty]
    assert_is_read(tmp_path, "|".join(days[:9]), "number", "", [*map(float, days[:9])])
    column, found = column_of(tmp_path, "|".join(days))
    assert (column.kind, column.note) == ("date", "year-month-day")
    assert (found[0], found[10]) == (19360, 19674)
    new = read_like([column], pd.DataFrame({"c": [20230103, 20230104]}))["c"]
    assert new.values.tolist() == [19360, 19361]
    column, _ = column_of(tmp_path, "|".join([*days[:11], "20231301"]))
    assert column.kind == "number"


@pytest.mark.parametrize(("values", "kind", "note"), [
    ("01-Jan-23|13-Mar-X|1 Mayor 23", "text", "2 of 3 values are dates, '13-Mar-X' is not"),
    ("5-3|7-2", "category", ""),
    ("2+|2|3+|2+|2|3+", "category", ""),
    ("2+|3-|4|2+|3-|4", "category", "4 of 6 values are numbers, all others '2+'"),
    ("4/4|6/8|3/4", "text", ""),
    ("120/80|100/65|95/60", "text", ""),
    ("030-1234567|089/765432" + "|030-1234567|089/765432" * 8, "category", "phone numbers"),
    ("01067|10115|01067|10115|01067|10115", "category", "codes, since some begin with 0"),
    ("a|b||a", "category", ""),
    ("u|Low|low|U|u|Low|low|U", "category", "'u' and 'U' are different values"),
    ("1.2.3|1.10", "category", ""),
    ("SET-1001|SET-1002|SET-1001|SET-1002", "category", ""),
    ("Try 1|Try 2|Try 1|Try 2", "category", ""),
    ("+|-||++|-|+|+", "category", "- beside + is a value"),
    ("airbag|none|none||airbag|none", "category", ""),
    ("None|mild|None|severe|mild|(none)|(none)", "category", ""),
    ("<=20|>20|>20|<=20", "category", ""),
    (">= 5 kg|< 5 kg||< 5 kg|>= 5 kg", "category", ""),
    ("1Fam" + "|1Fam|1Fam" * 30 + "|Duplex|TwnhsE", "category", ""),
    ("lt $10|" + "|".join(["$10-20|$20-50|$50-90|$90-99"] * 100) + "|lt $10", "category",
     "400 of 402 values are numbers in $, all others 'lt $10'"),
    ("3rd|1st|3rd|2nd|3rd", "text", ""),
    ("1. Yes|2. No|1. Yes|1. Yes", "category", ""),
    ("1|2|3|4|5|6|a|b|c", "text", "6 of 9 values are numbers, 'a' is not"),
    ("1986|c1986|1990|[1998?]|2003", "text", "3 of 5 values are numbers, 'c1986' is not"),
    ("1986|c1986|1990|[1998?]", "text", ""),
    ("|".join(f"${n}.5" for n in range(40)) + "|don't know" * 8 + "|refused", "text",
     '40 of 49 values are numbers in $, "don\'t know" is not'),
    ("768|3.3k|57k|1.5K|9", "text", "3 of 5 values are numbers in k, '768' is not"),
    ("9,5 Mio.|700000|3 Mio.|4 Mio.", "text", "3 of 4 values are numbers in Mio., '700000' is not"),
    ("9TEUR|768|3TEUR", "text", "2 of 3 values are numbers in TEUR, '768' is not"),
    ("9m$|768|3m$", "text", "2 of 3 values are numbers in m$, '768' is not"),
    ("9 L|768|700", "text", "2 of 3 values are numbers, '9 L' is not"),
    ("9 T|768|3 T", "text", "2 of 3 values are numbers in T, '768' is not"),
    ("9 %|0.5|3 %", "text", "2 of 3 values are numbers in %, '0.5' is not"),
    ("34|6 months|51|60|3 months|19|9 months", "text",
     "4 of 7 values are numbers, '6 months' is not"),
    ("41:18|1:29:25|2:58", "text", "41:18 beside 1:29:25 may be minutes or hours"),
    ("1)|(2|(3-5)", "text", ""),
    ("u|v|w|x|y", "text", ""),
    ("|".join(f"thing {n}" for n in range(41)), "text", ""),
])  # fmt: skip
def test_what_is_neither_number_nor_date_is_a_category_or_a_text(tmp_path, values, kind, note):
    assert_is_read(tmp_path, values, kind, note, [value or None for value in values.split("|")])


def test_none_is_missing_beside_numbers_dates_and_texts_but_a_category_of_new_rows(tmp_path):
    texts = "|".join(f"thing {n}" for n in range(41))
    for cells in ("1.5 €|2 €|none", "2020-01-01|2020-01-02|none", f"{texts}|none"):
        assert column_of(tmp_path, cells)[0].n_missing == 1
    column, _ = column_of(tmp_path, "airbag|none|none|airbag")
    new = read_like([column], pd.DataFrame({"c": ["none", "?"]}))["c"]
    assert new.values.tolist() == ["none", None]
    assert column_of(tmp_path, "airbag|none|none|airbag", missing=("none",))[0].n_missing == 2


def test_a_single_plus_among_numbers_leaves_dashes_missing(tmp_path):
    column, _ = column_of(tmp_path, "3.2|1.5|-|4.1|2.2|+")
    assert (column.n_missing, column.note) == (1, "4 of 5 values are numbers, '+' is not")


@pytest.mark.parametrize(
    ("content", "X"),
    [
        ("id;x;y;z\na;1,5;1.234;1.5\nb;2;2.000;2\n", [[1.5, 1234, 1.5], [2, 2000, 2]]),
        ("id;x;y;z\na;1;1.234;1.5\nb;2;2.000;2\n", [[1, 1.234, 1.5], [2, 2, 2]]),
        ('id,x,y\na,0.5,"1,200"\nb,1.5,"2,300"\n', [[0.5, 1200], [1.5, 2300]]),
        ('id,x,y\na,$5.31,"1,000"\nb,$5.32,"2,000"\n', [[5.31, 1000], [5.32, 2000]]),
        ('id,x\na,"1,5"\nb,"2,25"\n', [[1.5], [2.25]]),
        ('id,x\na,"1,500.5"\nb,"2,250"\n', [[1500.5], [2250]]),
    ],
)
def test_other_values_tell_what_points_and_commas_are(tmp_path, content, X):
    table = read(tmp_path, content)
    assert table.X.tolist() == X
    assert {column.kind for column in table.used} == {"number"}


# and not: or with --missing, as of a word that is not the name of the column or a sum
NO_WORD = ".* or leave the cell empty, or leave the column"


@pytest.mark.parametrize(("values", "delimiter", "line", "message"), [
    ('"1,500"', ",", 2,
     r"'1,500', whose comma may be .*Write 1\.500 or 1500, or separate the columns with"
     " semicolons"),
    ("1,234|1.234", ";", 2, "'1,234', whose comma may be a decimal comma or separate th"),
    ("1,234", "\t", 2, "'1,234', whose comma may be a decimal comma or separate thousands"),
    ("1|" * 12 + "two", ";", 14, "'two', which is not a finite number, in the column 'c'"),
    ("1,5|" * 12 + "1.5", ";", 14, r"'1\.5', .* number with decimal commas like the others"),
    ("1,5|" * 12 + "two", ";", 14, "'two', which is not a finite number, in the column 'c'"),
    ("1|inf", ";", 3, "'inf', which is not a finite.* Write a number, or leave the column"),
    ("2020-01-01|" * 12 + "soon", ";", 14,
     "'soon', .* Write a date, or leave the cell empty .or with --missing shop=soon."),
    ("17.8.2016|" * 12 + "8.17.2016", ";", 14, r"'8\.17\.2016', which is not a date"),
    ("|01/02/2020|03/04/2020", ";", 3,
     r"'01/02/2020', which may begin with the day or with the month.* 2 values .*"
     r"Write `columns: {c: day first}` or .*month first"),
    ("1|2|3|4|5|6|7|8|9|c", ";", 11, f"'c', {NO_WORD}"),
    ("1|2|3|4|5|6|7|8|9|Zwischensumme", ";", 11, f"'Zwischensumme', {NO_WORD}"),
    ("5 kg|" * 12 + "5 lb", ";", 14, "'5 lb', .* in kg like the others"),
    ("20.5°C|" * 12 + "22.5°F", ";", 14, "'22.5°F', .* in °C like the others"),
    ("closed" + "|14:48" * 12, ";", 2, "'closed', which is not a duration like the others"),
])  # fmt: skip
def test_what_is_uncertain_or_a_mistake_has_its_line(tmp_path, values, delimiter, line, message):
    name = "t.tsv" if delimiter == "\t" else "t.csv"
    with pytest.raises(DataError, match=f":{line}: line {line} has {message}") as refusal:
        column_of(tmp_path, values, delimiter, name=name)
    assert "--ignore shop=c" in str(refusal.value)


@pytest.mark.parametrize("name", ["c", "when, exactly", ": c", "[x]", "c #1", "yes", "a b: c"])
def test_the_order_of_day_and_month_can_be_asked_for_as_the_message_says(tmp_path, name):
    content = f"id;{name};n\na;01/02/2020;1\nb;03/04/2020;2\n"
    with pytest.raises(DataError) as refusal:
        read(tmp_path, content)
    said = re.search("Write `(.*?)` or", str(refusal.value))[1]
    assert yaml.safe_load(said) == {"columns": {name: "day first"}}
    for order, days in (("day first", [18293, 18355]), ("month first", [18263, 18325])):
        assert read(tmp_path, content, columns={name: order}).X[:, 0].tolist() == days


def test_words_for_missing_values_can_be_added(tmp_path):
    content = "id,x,w\na,1,u\nb,-999,unknown\nc,3,u\nd,4,v\ne,5,u\n"
    table = read(tmp_path, content, missing=(-999, "Unknown"))
    assert [column.n_missing for column in table.used] == [1, 1]
    assert table.X["x"].isna().tolist() == [False, True, False, False, False]


def test_a_word_for_a_missing_date_is_not_an_example_of_dates(tmp_path):
    content = "id,seen,x\na,never,1\nb,3.5.2023,2\nc,4.5.2023,4\n"
    table = read(tmp_path, content, missing=("never",))
    assert table.used[0].examples == (("3.5.2023", "2023-05-03"), ("4.5.2023", "2023-05-04"))


def test_new_rows_are_read_as_those_that_were_clustered(tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"r{n};{1 + n % 2}.{100 + n},50 €;{('nein', 'ja')[n % 2]};"
        f"{1 + n % 9}.{1 + n % 12}.2020;{rng.normal() + 9 * (n % 2):.3f}"
        for n in range(40)
    ]
    lines[3] = "r3;keine;ja;3.4.2020;9.25"
    content = "\n".join(["id;price;sold;day;x", *lines])
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    shop = {"path": str(tmp_path / "t.csv"), "missing": ["keine"]}
    facts = cluster(options_of({"shop": shop}, n_clusters=2), tmp_path / "out")
    (price,) = (one for one in facts["views"][0]["columns"] if one["name"] == "price")
    assert (price["kind"], price["note"]) == ("number", "in €, with decimal commas")
    (view,) = load_model(tmp_path / "out").views
    frame = read_frame(str(tmp_path / "t.csv"))
    labels = [int(row["cluster"]) for row in read_csv(tmp_path / "out/shop/labels.csv")]
    assert view.predict(frame[view.columns], str).tolist() == labels
    frame.loc[5, "price"] = "7 $"
    with pytest.raises(InvalidInputError, match=r"'7 \$', which is not a finite number in €"):
        view.predict(frame[view.columns], str)


def ean(n):
    body = f"40{n:010}"
    return f"{body}{-sum(int(d) * (1, 3)[n % 2] for n, d in enumerate(body)) % 10}"


def isbn(body):
    """Return an ISBN of ten signs, or an ISSN, by the digits before its check digit."""
    weights = range(len(body) + 1, 1, -1)
    return body + "0123456789X"[-sum(int(d) * n for d, n in zip(body, weights, strict=True)) % 11]


CODES = np.random.default_rng(0).permutation(9000)[:60]
ARTICLES = [ean(number) for number in np.random.default_rng(0).integers(10**10, size=60)]
BOOKS = [isbn(f"88{n:07}") for n in range(12345, 99999, 4321)]
BOOKS[3::4] = [f"{book[:2]}-{book[2:4]}-{book[4:9]}-{book[9]}" for book in BOOKS[3::4]]
JOURNALS = [isbn(f"{n:07}") for n in range(123456, 999999, 43210)]
POSTAL = "S{:02}A 1AA,M{} 9QT,K{:02} 0B6,10{:02} AB,013{:02}-100,1{:02} 55,D{:02} AF30".split(",")


@pytest.mark.parametrize(
    ("name", "values", "note"),
    [
        ("where", [f"{code:05}" for code in CODES], "codes, since some begin with 0"),
        ("PLZ", range(20000, 20060), "postal codes"),
        ("Postnr.", range(2100, 2520, 7), "postal codes"),
        *(("Postcode", [code.format(n) for n in range(60)], "postal codes") for code in POSTAL),
        ("CEP", [f"{1310 + n:05}-100" for n in range(60)], "postal codes"),
        ("mobile", [f"{912345678 - 37 * n}.0" for n in range(60)], "phone numbers"),
        ("CAP", range(20121, 22341, 37), "postal codes"),
        ("Kod pocztowy", [f"{10 + n}-{200 + n}" for n in range(60)], "postal codes"),
        ("郵便番号", [f"{100 + n}-{2100 + n}" for n in range(60)], "postal codes"),
        ("邮编", range(100000, 100060), "postal codes"),
        ("Telefon", [f"+49 30 {n}" for n in range(1234567, 1234627)], "phone numbers"),
        ("Telemóvel", range(912345678, 912343458, -37), "phone numbers"),
        ("article", ARTICLES, "barcodes"),
        ("article", [*ARTICLES[1:], "none yet"], "barcodes"),
        ("article", [None, *ARTICLES[1:]], "barcodes"),
        ("book", BOOKS, "barcodes"),
        ("journal", [f"{code[:4]}-{code[4:]}" for code in JOURNALS], "barcodes"),
        ("Labor-Nr.", ["", *(f"23-{n}" for n in range(4412, 4431))], "an id"),  # are no ranges
        ("permit", [f"B{22000 + n}" for n in [*range(19), 7]], "an id"),
        ("schoolNR", [n // 4 for n in range(40)], "an id"),
        ("site_id", ["", *(f"{n // 4}.0" for n in range(40))], "an id"),
        ("Series_ID", [f"CEU{30 + n // 4}" for n in range(40)], "an id"),
        ("customer_id", [*range(9), *range(1, 10), -1, "guest"], "an id"),
        ("ID", [n % 3 for n in range(40)], "an id"),
        ("MRN", [20_000 + n * 2 // 3 for n in range(40)], "an id"),
        ("Patient No.", [20_000 + n * 2 // 3 for n in range(40)], "an id"),
        ("price", ["5 €", "5,00 €"] * 10, "constant, in €, with decimal commas"),
        ("family", ["7A", *(f"{n:03}" for n in range(20))], "codes, since some begin with 0"),
        ("c", [f"{n % 90}°{n % 60}'{n % 7}N" for n in range(400)], NO_WORDS),
    ],
)
def test_codes_say_nothing_and_are_neither_quantities_nor_names(tmp_path, name, values, note):
    rows = {"id": [f"r{n}" for n in range(len(values))], name: values}
    table = read(tmp_path, pd.DataFrame(rows | {"x": np.arange(len(values)) % 7}), id_column="id")
    assert (table.every_column[1].note, table.columns) == (note, ["x"])


def test_few_ids_that_repeat_are_a_category_and_decimal_numbers_no_ids(tmp_path):
    rows = {"StoreID": [n % 5 for n in range(40)], "FemaleID": [n / 4 for n in range(40)]}
    table = read(tmp_path, pd.DataFrame(rows))
    found = [(column.kind, column.note) for column in table.every_column]
    assert found == [("category", "an id"), ("number", "")]
    named = pd.DataFrame({"StoreID": rows["StoreID"], "store": [*"abcde"] * 8})
    assert read(tmp_path, named).every_column[0].note == "repeats another column, 'store'"
    numbered = named.assign(store=named["StoreID"] * 10)
    assert read(tmp_path, numbered).every_column[0].note == "repeats another column, 'store'"


@pytest.mark.parametrize(
    "name", ["YEAR_ID", "week nr.", "Wochennummer", "N° semaine", "Numero di camere", "Rooms #"]
)
def test_times_and_counts_are_quantities_and_no_ids(tmp_path, name):
    rows = pd.DataFrame({name: [1 + n % 8 for n in range(60)], "x": [n % 7 for n in range(60)]})
    assert read(tmp_path, rows).used[0].kind == "number"
    for other in ("candidate_id", "Montag-Nr.", "Busnummer"):
        assert read(tmp_path, rows.rename(columns={name: other})).used[0].kind == "category", other


@pytest.mark.parametrize("name", ["Member number", "max_user_number"])
def test_how_many_persons_there_are_is_a_quantity_though_most_numbers_differ(tmp_path, name):
    counts = np.random.default_rng(0).lognormal(5, 1, 60).astype(int)
    assert len(counts) > len({*counts.tolist()}) > 50
    table = read(tmp_path, pd.DataFrame({name: counts, "x": np.arange(60) % 7}))
    assert next((column.name, column.kind) for column in table.used) == (name, "number")


@pytest.mark.parametrize("form", ["{}Q{}", "{}-Q{}", "Q{1}-{0}", "{}M0{}"])
def test_quarters_and_months_of_a_series_are_dates_and_no_codes(tmp_path, form):
    times = [form.format(2000 + n // 4, 1 + n % 4) for n in range(20)]
    table = read(tmp_path, pd.DataFrame({"time": times, "x": [n % 7 for n in range(20)]}))
    assert (table.id_column, table.used[0].kind) == (None, "date")


def test_other_quantities_are_called_like_codes(tmp_path):
    n = np.arange(60)
    rows = pd.DataFrame({"cap": 200 + 7 * n, "cep": 150 + 3 * n % 80, "gsm": 80.25 + n**2})
    assert read(tmp_path, rows).columns == ["cap", "cep", "gsm"]
    whole = read(tmp_path, "\n".join(["id,gsm", *(f"r{row},{120 + row}.0" for row in n)]))
    assert whole.columns == ["gsm"]


def test_numbers_that_look_like_codes_can_be_asked_for(tmp_path):
    rows = pd.DataFrame({"where": [f"0{n}" for n in range(60)], "x": np.arange(60) % 7})
    assert read(tmp_path, rows, columns={"where": "number"}).columns == ["where", "x"]


def test_barcodes_of_a_workbook_of_which_the_first_is_missing_are_no_quantities(tmp_path):
    rows = [[f"r{n}", int(ean(n * n)) if n else None, n % 7] for n in range(20)]
    path = write_workbook(tmp_path / "t.xlsx", [["id", "article", "x"], *rows])
    assert read_table("shop", View(path=path)).every_column[1].note == "barcodes"


def test_addresses_are_no_texts_though_some_repeat_beside_long_texts(tmp_path):
    contacts = [f"ana.{n % 70}@b.pt" if n % 9 else "" for n in range(99)]
    remarks = [f"the parcel came too late and was wet {n}" for n in range(99)]
    table = read(tmp_path, pd.DataFrame({"contact": contacts, "remark": remarks}))
    assert (table.columns, table.every_column[0].note) == (["remark"], "e-mail addresses")


def test_an_id_is_guessed_where_it_is_named_like_one_and_distinct(tmp_path):
    table = read(tmp_path, "customer_id,code,casino,x\nk1,8,1,1\nk2,9,2,2\n")
    assert (table.ids, table.columns) == (["k1", "k2"], ["casino", "x"])
    notes = {column.name: column.note for column in table.every_column}
    assert (notes["customer_id"], notes["code"]) == ("names the rows", "an id")
    for header in ("no", "Nr", "itemID", "product key"):
        assert read(tmp_path, f"x,{header}\n1,7\n2,9\n").ids == ["7", "9"]
        assert read(tmp_path, f"x,{header}\n1,7\n2,7\n").ids == ["0", "1"]
    assert read(tmp_path, "x,no\n1,0.5\n2,0.25\n").columns == ["x", "no"], "a measurement"
    assert read(tmp_path, "x,code\n1,7\n2,9\n", columns=("x", "code")).columns == ["x", "code"]


def test_an_id_may_be_called_so_in_one_word_but_not_other_words_with_such_an_end(tmp_path):
    ids = "patientid Kundennr PatientNumber Matrikelnummer numero MMSI PID uid idno".split()
    ids += ["Barcode", "Matrícula", "N.º", "Código", "Codice", "Número", "Номер", "Kod towaru"]
    ids += ["顧客ID", "会員番号", "商品コード", "用户编号", "订单号", "고객번호"]
    for name in [*ids, "Laufende Nummer", "Permit #", "N° dossier", "Numéro de dossier"]:
        assert read(tmp_path, f"{name},x\n7,1\n9,2\n").ids == ["7", "9"], name
    phones = ("Telefonnummer", "Numéro de téléphone", "Número de teléfono", "Telefoonnr.")
    phones += ("電話番号", "手机号")
    counts = ("Número de habitantes", "N.º de camas", "numero degli abitanti")
    for name in ("paid", "humid", "SNR", "Chlorid", *phones, *counts):
        assert read(tmp_path, f"{name},x\n7,1\n9,2\n").ids == ["0", "1"], name


@pytest.mark.parametrize("last", [[""], ["1000"], ["n/a"] * 9, [*range(1000, 1009)]])
def test_numbers_called_ids_of_which_some_lack_or_repeat_are_no_quantities(tmp_path, last):
    ids = [*range(1000, 1019), *last]
    lines = ["customer_id,number,x", *(f"{id},{n // 2},{n % 7}" for n, id in enumerate(ids))]
    table = read(tmp_path, "\n".join(lines))
    assert [column.note for column in table.every_column] == ["an id", "", ""]
    assert table.columns == ["number", "x"], "counts repeat"
    counts = "\n".join(lines).replace("customer_id", "white_cell_number")
    assert read(tmp_path, counts).columns == ["white_cell_number", "number", "x"]
    asked_for = ["customer_id", "x"]
    assert read(tmp_path, "\n".join(lines), columns=asked_for).columns == asked_for


def test_labels_are_never_clustered_in_silence(tmp_path):
    content = "id,x,Class,species\na,1,0,u\nb,2,1,v\nc,4,1,v\n"
    table = read(tmp_path, content)
    assert table.columns == ["x"]
    said, other = table.notes
    assert "the column 'Class' looks like labels and was left out" in said
    assert "--labels-column shop=Class" in said
    assert "--columns shop=x,Class" in said
    assert "'species'" in other
    assert read(tmp_path, content, columns=("x", "Class")).X.tolist() == [[1, 0], [2, 1], [4, 1]]
    assert read(tmp_path, content, columns={"species": "category"}).columns == ["x", "species"]
    assert read(tmp_path, content, labels_column="Class", ignore=("species",)).notes == ()
    assert read(tmp_path, "id,x,class\na,1,5\nb,2,5\n").notes == (), "a constant"
    assert read(tmp_path, "id,x,class\na,1,tumor\nb,2,none\nc,4,none\n").columns == ["x"]
    distinct = read(tmp_path, "id,x,species,class\na,1,u,0.5\nb,2,v,1.5\nc,4,w,2.5\n")
    notes = [column.note for column in distinct.every_column[2:]]
    assert notes == ["names that hardly repeat", "looks like labels"], "words of which none repeats"


def test_columns_of_no_use_are_named_and_left_out(tmp_path):
    rows = "a,1,u,5,,3,a.png\nb,2,v,5,,4,b.JPG\nc,,v,5,,4,\n"
    table = read(tmp_path, f"id,x,w,k,e,i,p\n{rows}", ignore=("i",))
    assert table.columns == ["x", "w"]
    assert lines_of(table) == [
        "id  left out  names the rows; a | b",
        "x   number    1 missing; 1 | 2",
        "w   category  u | v",
        "k   left out  constant; 5",
        "e   left out  empty; 3 missing",
        "i   left out  ignored; 3 | 4",
        "p   left out  names of pictures; a.png | b.JPG",
    ]


def test_the_table_of_columns_shows_values_before_and_after_and_joins_columns_alike(tmp_path):
    rows = [f"r{n};1.{n}00,50 €;0{n + 1}.02.2020 08:30;{n % 2};;{n % 3};{n}\n" for n in range(5)]
    table = read(tmp_path, f"id;Preis;Tag;a;b;c;d\n{''.join(rows)}", columns={"b": "number"})
    assert lines_of(table)[1:] == [
        "Preis  number    in €, with decimal commas; 1.000,50 € | 1.100,50 €",
        "                 → 1000.5 | 1100.5",
        "Tag    date      day.month.year; 01.02.2020 08:30 | 02.02.2020 08:30",
        "                 → 2020-02-01 08:30 | 2020-02-02 08:30",
        "a      number    0 | 1",
        "b      left out  empty; 5 missing",
        "c      number    0 | 1",
        "d      number    0 | 1",
    ]
    alike = [ColumnFacts(name=f"w{n}", kind="number", note="", n_missing=n) for n in range(4)]
    assert [*column_lines(alike)] == ["w0 … w3 (4)  number    0–3 missing"]
    note = "a value is maybe 重量重量 or 长度"
    shown = {"重" * 20: "重" * 20, "重" * 31: f"{'重' * 19}… ", "x": f"x{'':39}"}
    wide = [ColumnFacts(name=name, kind="number", note=note, n_missing=1) for name in shown]
    lines = ["{}  number    a value is maybe 重量重量", f"{'':52}or 长度; 1 missing"]
    assert [*column_lines(wide)] == [line.format(name) for name in shown.values() for line in lines]
    assert columns_used([*alike, ColumnFacts(**table.every_column[0].to_dict())]) == (
        "4 of 5 columns used"
    )


def test_kinds_of_columns_can_be_said(tmp_path):
    content = "id,zip,when,x\na,10115,2020-01-02,1\nb,20095,2020-01-03,2\nc,10115,2020-02-03,3\n"
    table = read(tmp_path, content, columns={"zip": "category", "when": "text", "x": "ignore"})
    kinds = [(column.name, column.kind) for column in table.used]
    assert kinds == [("zip", "category"), ("when", "text")]
    assert table.X["zip"].tolist() == ["10115", "20095", "10115"]
    for name, kind, said in (
        ("when", "number", "'2020-01-02', which is not a finite number, in the column 'when'"),
        ("zip", "day first", "'10115', which is not a date, in the column 'zip'"),
    ):
        with pytest.raises(DataError, match=f":2: line 2 has {said}"):
            read(tmp_path, content, columns={name: kind})
    many = "".join(f"r{n},{n},2020-01-02,1\n" for n in range(1001))
    table = read(tmp_path, f"id,zip,when,x\n{many}", columns={"zip": "category"})
    assert table.every_column[1].note == "1001 values are too many for a category"
    mixed = "id,x,y\na,1:41:18,1\nb,%s,2\nc,1:00:05,3\n"
    for short, as_minutes in [("41:18", "0:41:18"), ("1:30", "0:01:30"), ("75:10", "1:15:10")]:
        like = f"'{short}', which is not a duration like the.*Write {short}:00 or {as_minutes},"
        with pytest.raises(DataError, match=f":3: line 3 has {like}"):
            read(tmp_path, mixed % short, columns={"x": "number"})
        assert read(tmp_path, mixed % as_minutes, columns={"x": "number"}).used[0].kind == "number"
    with pytest.raises(DataError, match=r"there is no column 'zap'; did you mean 'zip'\?"):
        read(tmp_path, content, columns={"zap": "text"})


def test_numbers_before_labels_can_be_asked_for(tmp_path):
    answers = ["1 - strongly disagree", "2 = no", "3: yes", "5. always", "4", "", "2 = no", "-99"]
    content = "".join(f"r{n},{answer},{n % 5}\n" for n, answer in enumerate(answers))
    table = read(tmp_path, f"id,q,x\n{content}", columns={"q": "number", "x": "number"})
    (q, _), values = table.used, table.X["q"].tolist()
    assert (q.kind, q.note, q.n_missing) == ("number", "without their labels", 1)
    assert values[:5] + values[6:] == [1, 2, 3, 5, 4, 2, -99]
    new = read_like([q], pd.DataFrame({"q": ["3: ja", "5 – immer"]}))["q"]
    assert new.values.tolist() == [3, 5]
    odd = read_like([q], pd.DataFrame({"q": ["3: ja", "immer"]}))["q"]
    assert odd.mistake.what == "'immer', which is not a finite number,"
    asked = {"columns": {"q": "number", "x": "number"}}
    with pytest.raises(DataError, match="'1 - strongly disagree', which is not a finite number"):
        read(tmp_path, f"id,q,x\n{content}".replace("3: yes", "2 = yes", 1), **asked)


@pytest.mark.parametrize(
    ("values", "written", "found"),
    [
        (["0:26:16", None, "1 days 0:04:17"], Written.IN_SECONDS, [1576, None, 86657]),
        (pd.to_timedelta([1576, 257], unit="s"), Written.IN_SECONDS, [1576, 257]),
        ([None, None], Written.IN_SECONDS, [None, None]),
        ([np.nan, np.nan], Written.IN_SECONDS, [None, None]),
        (["14:48", "9:30:00"], Written.HOURS_MINUTES, [53280, 34200]),
        (["26:16", "4:17"], Written.IN_SECONDS, "'26:16', which is not a duration like the"),
        (["26:16", "1:02:11"], Written.HOURS_MINUTES, "'1:02:11', which is not a duration like"),
        ([0.018, 0.003], Written.IN_SECONDS, "'0.018', which is not a duration like the others"),
        ([1576, 257], Written.HOURS_MINUTES, "'1576', which is not a duration like the others"),
        (pd.to_timedelta([1576], unit="s"), Written.PLAIN, "'0 days 00:26:16', which is not a fin"),
    ],
)
def test_new_durations_are_read_like_those_before_or_refused(values, written, found):
    column = Column("x", "number", written=written)
    read_again = read_like([column], pd.DataFrame({"x": values}))["x"]
    if isinstance(found, str):
        assert found in read_again.mistake.what
    else:
        np.testing.assert_array_equal(read_again.values, np.array(found, dtype=np.float64))


@pytest.mark.parametrize(
    ("beside", "kinds"),
    [
        ({"x": "0.5"}, ["category", "names that hardly repeat", "text"]),
        ({"x": "0.5", "y": "a longer text about it"}, ["text", "text", "text"]),
        ({}, ["category", "text", "text"]),
    ],
)
def test_short_texts_are_categories_if_they_repeat_and_else_left_out(tmp_path, beside, kinds):
    names = {"city": [f"Bad {n % 60}a" for n in range(400)]}
    names["name"] = [f"Ann L{n:x}e" for n in range(400)]
    names["wood"] = [f"oak no{n % 4} {n}m" for n in range(400)]
    for column, value in beside.items():
        names[column] = [f"{value}{n}" for n in range(400)]
    found = read(tmp_path, pd.DataFrame(names)).every_column
    assert [one.kind or str(one.why) for one in found[:3]] == kinds
    asked = read(tmp_path, pd.DataFrame(names), columns={"city": "text", "name": "text"})
    assert [one.kind for one in asked.used[:2]] == ["text", "text"]


def test_many_categories_that_differ_in_small_letters_alone_are_named(tmp_path):
    cities = [f"Bad {n % 60}a" if n % 120 else "BAD 0a" for n in range(400)]
    found = read(tmp_path, pd.DataFrame({"city": cities, "x": np.arange(400) / 8}))
    assert found.every_column[0].note == "'BAD 0a' and 'Bad 0a' are different values"


def test_columns_that_say_nothing_of_their_own_are_named_and_left_out(tmp_path):
    prices, colors = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3), "rgbrgbrrgb"
    lines = [
        f"k{n},{7 + n},{price},{price}.00 €,{100 * price},{color},c{ord(color)},"
        f"scans/{color}.pdf,2024-03-01 10:12:{n // 2:02d},2024-03-{price:02d}"
        for n, (price, color) in enumerate(zip(prices, colors, strict=True))
    ]
    names = "id,row,price,again,cents,color,code,file,exported,day"
    table = read(tmp_path, "\n".join([names, *lines]))
    notes = {column.name: column.note for column in table.every_column if not column.kind}
    assert notes == {
        "id": "names the rows",
        "row": "counts the rows",
        "again": "repeats another column, 'price'",
        "cents": "repeats another column, 'price'",
        "code": "repeats another column, 'color'",
        "file": "names of files",
        "exported": "times of an export",
    }
    assert table.columns == ["price", "color", "day"]
    asked_for = ["row", "price", "cents", "exported"]
    assert read(tmp_path, "\n".join([names, *lines]), columns=asked_for).columns == asked_for


@pytest.mark.parametrize("first", [np.nan, 7])
def test_a_column_whose_first_rows_tell_nothing_may_repeat_another(first):
    prices = np.random.default_rng(0).normal(size=150)
    prices[:120] = first
    frame = pd.DataFrame({"x": np.arange(150) ** 2, "price": prices, "cents": 100 * prices})
    table = table_of(frame, "shop", View(path="t.csv"), Problems())
    assert table.every_column[2].note == "repeats another column, 'price'"
    frame["cents"] = np.where(np.isnan(prices), np.nan, np.sort(frame["x"] % 37))
    assert "cents" in table_of(frame, "shop", View(path="t.csv"), Problems()).columns


def test_codes_name_the_rows_whatever_they_are_called_and_are_never_texts(tmp_path):
    lines = [
        f"INV-{n:04d},A{n}F3,N{n % 8}A1,{n}.5kg,2020-01-{n + 1:02d}T10:00Z,{n * n}"
        for n in range(12)
    ]
    table = read(tmp_path, "\n".join(["car,vin,Individual ID,weight,seen,x", *lines]))
    assert table.ids[:2] == ["INV-0000", "INV-0001"]
    notes = [column.note for column in table.every_column]
    assert notes[:3] == ["names the rows", "an id", "an id"]
    assert [column.name for column in table.used] == ["weight", "seen", "x"]


# ---- Excel and JSON


def test_cells_of_a_workbook_have_their_own_types_and_formulas_without_a_value_are_said(tmp_path):
    rows = [
        ["id", "x", "kind", "day"],
        [7, 0.5, "u", date(2020, 1, 2)],
        [8, "=B2+B3", None, date(2020, 1, 3)],
        [9, "#DIV/0!", "v", date(2020, 1, 4)],
    ]
    path = write_workbook(tmp_path / "t.xlsx", rows)
    table = read_table("shop", View(path=path, columns={"x": "number"}))
    assert table.ids == ["7", "8", "9"]
    assert [column.n_missing for column in table.every_column] == [0, 2, 1, 0]
    (note,) = table.notes
    assert "1 formula without a stored value (B3) counted as missing" in note


def test_limits_with_decimal_commas_may_stand_among_the_numbers_of_a_workbook(tmp_path):
    cells = [0.44, "<0,1", 2, 1.125, "1,5"] * 2
    path = write_workbook(tmp_path / "t.xlsx", [["x", "y"], *([cell, 3] for cell in cells)])
    table = read_table("lab", View(path=path, columns=("x",)))
    assert table.X[:5, 0].tolist() == [0.44, 0.1, 2, 1.125, 1.5]
    said = "with decimal commas, 2 values below or above a limit read as the limit"
    assert table.used[0].note == said
    for new, values in ((["0,5", "<0,1"], [0.5, 0.1]), ([0.5, "<0,1"], [0.5, 0.1])):
        (read,) = read_like(table.used, pd.DataFrame({"x": new})).values()
        assert read.values.tolist() == values


def test_durations_and_times_of_day_are_the_same_in_workbooks_and_texts(tmp_path):
    parts = [(n % 7, 7 * n % 60, n) for n in range(12)]
    seconds = [3600 * h + 60 * m + s for h, m, s in parts]
    times = [datetime.time(*one) for one in parts]
    durations = [datetime.timedelta(seconds=7 + n) for n in seconds]
    rows = [["n", "t", "d"], *map(list, zip(range(12), times, durations, strict=True))]
    paths = write_workbook(tmp_path / "t.xlsx", rows), write_csv(tmp_path / "t.csv", rows)
    for path in paths:
        table = read_table("t", View(path=path, columns=("t", "d")))
        assert table.X.T.tolist() == [seconds, [7 + n for n in seconds]]
        assert [column.note for column in table.used] == ["in seconds"] * 2


def test_records_may_lack_values_and_hold_no_lists(tmp_path):
    lines = [{"id": "a", "x": 1, "ok": True}, {"id": "b", "ok": False, "w": "u"}]
    lines.append({"id": "c", "x": 3})
    table = read(tmp_path, "\n".join(map(json.dumps, lines)), "t.jsonl")
    kinds = [(one.name, one.kind, one.n_missing) for one in table.every_column[1:3]]
    assert kinds == [("x", "number", 1), ("ok", "number", 1)]
    lines[1]["w"] = ["u", "v"]
    message = ":2: line 2 has a list, neither number nor text, in the column 'w'"
    with pytest.raises(DataError, match=message):
        read(tmp_path, "\n".join(map(json.dumps, lines)), "t.jsonl")


def test_records_may_hold_numbers_and_texts_in_one_column(tmp_path):
    values = [1, 2.5, "3.25", 4]
    lines = [{"id": n, "x": value, "y": n % 3} for n, value in enumerate(values * 3)]
    table = read(tmp_path, "\n".join(map(json.dumps, lines)), "t.jsonl")
    assert table.X[:4, 0].tolist() == [1, 2.5, 3.25, 4]


@pytest.mark.parametrize(
    ("kinds", "is_cut"), [({}, True), ({"body": "text"}, False), ({"body": "mail"}, True)]
)
def test_headers_and_signatures_of_mails_are_no_text(tmp_path, kinds, is_cut):
    words = ["oak", "pine", "beech", "steel", "iron", "brass", "wool", "linen", "silk", "glass"]
    frame = pd.DataFrame({"x": range(10), "plain": [f"{word} and\n-- {word}" for word in words]})
    frame["body"] = [
        f"From: {word}@x\nSubject: {word}\nVia: a\n  host b\n\n> so\n{word} {n}\n--\nJoe"
        for n, word in enumerate(words)
    ]
    frame.loc[3, "body"] = "-- \nnothing but a signature"
    table = read(tmp_path, frame, columns=kinds)
    notes = {column.name: column.note for column in table.every_column}
    assert notes["plain"] == ""
    assert notes["body"] == "mails without headers and signatures" * is_cut
    body = table.X["body"].tolist()
    assert body[0] == ("oak\n\n> so\noak 0" if is_cut else frame["body"][0])
    assert body[3] == frame["body"][3]
    assert read_like(table.used, frame)["body"].values.tolist() == body, "so are new rows"
    mvcc("init", "--from", "t.csv", cwd=tmp_path)
    assert "      body: mail  " in (tmp_path / "cluster.yaml").read_text()


# ---- features


def mixed(n=120, seed=0):
    """Return a table of three kinds of things, and what they are."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n)
    words = np.reshape("oak pine beech steel iron brass wool linen silk".split(), (3, 3))
    said = [" ".join(rng.choice(words[k], 4)) + f" {rng.integers(1000)}" for k in kind]
    frame = pd.DataFrame({
        "price": 3.0 * kind + rng.normal(size=n),
        "color": np.array(["red", "green", "blue"])[kind],
        "says": said,
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(100, size=n), unit="D"),
    })  # fmt: skip
    frame.loc[::7, "price"] = np.nan
    frame.loc[3::9, "color"] = None
    return frame, kind


@pytest.mark.parametrize(
    ("features", "least"), [("auto", 0.9), ("pca", 0.9), ("none", 0.9), ("spectral", 0.7)]
)
def test_mixed_tables_are_clustered_and_new_rows_predicted(tmp_path, features, least):
    from sklearn.metrics import adjusted_rand_score

    frame, kind = mixed()
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = options_of({"shop": tmp_path / "t.csv"}, n_clusters=3, features=features)
    view = parse_facts(cluster(options, tmp_path / "out")).views[0]
    assert [column.kind for column in view.columns] == ["number", "category", "text", "date"]
    assert adjusted_rand_score(kind, view.labels) > least
    labels = [int(row["cluster"]) for row in read_csv(tmp_path / "out/shop/labels.csv")]
    model = load_model(tmp_path / "out")
    assert model.predict(pd.read_csv(tmp_path / "t.csv"), view="shop").tolist() == labels
    assert model.predict(frame, view="shop").tolist() == labels, "dates may be dates"
    new, truth = mixed(40, seed=1)
    new.loc[0, "color"], new.loc[1, "says"], new.loc[2, "price"] = "violet", "zinc and copper", None
    new.loc[3, ["color", "says", "day"]] = None
    assert adjusted_rand_score(truth, model.predict(new, view="shop")) > least - 0.1
    assert model.predict(new[:1].assign(color=None, price=None), view="shop").shape == (1,)
    message = "X: row 0 has 'dear', which is not a finite number, in the column 'price'"
    with pytest.raises(InvalidInputError, match=message):
        model.predict(new.assign(price="dear"), view="shop")
    with pytest.raises(InvalidInputError, match="X must be a DataFrame"):
        model.predict(new.to_numpy(), view="shop")


def test_a_mixed_table_gives_the_same_features_in_which_a_text_weighs_twice_as_all_others():
    frame = mixed()[0].assign(day=lambda table: table["day"].astype("int64") / 1e15)
    kinds = ["number", "category", "text", "date"]
    one, other = MixedFeatures(kinds), MixedFeatures(kinds)
    X = one.fit_transform(frame)
    np.testing.assert_array_equal(X, other.fit(frame).transform(frame))
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    widths = np.cumsum([0, 1, 4, X.shape[1] - 6, 1])
    variances = [X[:, a:b].var(axis=0).sum() for a, b in pairwise(widths)]
    np.testing.assert_allclose(variances, [1, 1, 6, 1])


def test_all_columns_of_texts_are_one_text():
    rng = np.random.default_rng(0)
    words = np.array([f"word{n}" for n in range(60)])
    body = [" ".join(rng.choice(words, 12)) for _ in range(80)]
    title = [None, *(" ".join(rng.choice(words, 2)) for _ in range(79))]
    joined = [f"{one or ''} {two}" for one, two in zip(title, body, strict=True)]
    price = rng.normal(size=80)
    apart = pd.DataFrame({"title": title, "price": price, "body": body})
    together = pd.DataFrame({"text": joined, "price": price})
    features = MixedFeatures(["text", "number", "text"])
    X = features.fit_transform(apart)
    np.testing.assert_array_equal(X, MixedFeatures(["text", "number"]).fit_transform(together))
    np.testing.assert_array_equal(features.transform(apart.iloc[[5, 0]]), X[[5, 0]])


def test_short_texts_side_by_side_weigh_no_more_than_one():
    """Names beside addresses would else outweigh all other columns twice, as a sentence may."""
    rng = np.random.default_rng(0)
    words = [[f"{sound}{end}" for end in ("ana", "ilva", "osta", "eira")] for sound in "BCDFGLMPST"]
    short = ["{} {}".format(*rng.choice(np.ravel(words), 2)) for _ in range(120)]
    frame = pd.DataFrame({"a": short[:60], "b": short[60:], "price": rng.normal(size=60)})
    X = MixedFeatures(["text", "text", "number"]).fit_transform(frame)
    assert X[:, :-1].var(axis=0).sum() == pytest.approx(1)


@pytest.mark.parametrize(("between", "is_text"), [("|", True), (";", True), (",", True), ("", 0)])
def test_choices_listed_without_blanks_are_words(tmp_path, between, is_text):
    rng = np.random.default_rng(0)
    drawn = (rng.choice(list("abcdefgh"), 3, replace=False) for _ in range(60))
    tags = [between.join(f"tag{letter}" for letter in letters) for letters in drawn]
    column = read(tmp_path, pd.DataFrame({"x": np.arange(60) % 7, "tags": tags})).every_column[1]
    assert (column.kind == "text") == is_text
    assert (column.note == "names that hardly repeat") != is_text


def test_sentences_without_blanks_are_texts_of_words(tmp_path):
    topics = (("音質", "低音", "通話"), ("山道", "雨", "靴底"))
    said = [f"{topics[n % 2][n // 2 % 3]}がとても良い。{n}回使いました" for n in range(60)]
    names = [f"{chr(0x6751 + n)}田{chr(0x4E59 + 7 * n)}" for n in range(60)]
    frame = pd.DataFrame({"x": np.arange(60) % 7, "name": names})
    table = read(tmp_path, frame.assign(said=said))
    assert [column.kind for column in table.every_column] == ["number", "text", "text"]
    assert read(tmp_path, frame).every_column[1].note == "names that hardly repeat"
    X = MixedFeatures(["text"]).fit_transform(pd.DataFrame({"said": said}))
    np.testing.assert_allclose(X[0], X[6], atol=1e-9)
    assert np.linalg.norm(X[0] - X[1]) > 1


@pytest.mark.parametrize(
    ("unit", "text"),
    [("万円", "3.5万円"), ("TL", "3,5 ₺"), ("руб.", "3,5 руб."), ("$ **", "$3,5**"), ("*", "3,5*")],
)
def test_new_amounts_are_read_in_the_units_of_older_models(unit, text):
    column = Column("x", "number", written=Written.DECIMAL_COMMAS if "," in text else "", unit=unit)
    assert read_like([column], pd.DataFrame({"x": [text]}))["x"].values.tolist() == [3.5]


def test_texts_of_few_words_are_told_apart_by_their_parts():
    surnames = ("Meier", "Meyer", "Maier", "Schulz", "Schultz", "Schulze")
    names = [f"{surname} {letter}" for surname in surnames for letter in "abcdefgh"]
    X = MixedFeatures(["text"]).fit_transform(pd.DataFrame({"name": names}))
    near = np.linalg.norm(X[:, None] - X[None], axis=2) + np.eye(len(names)) * 99
    nearest = [names[row] for row in near.argmin(axis=1)]
    assert [name[0] for name in nearest] == [name[0] for name in names]


# ---- all that is wrong, at once


def test_the_command_that_goes_on_names_columns_of_any_name(tmp_path):
    names = ["Größe\n(cm)", "a\r\nb", '5" wide', "  of two", "it's $1, `x`"]
    names += ["tab\tname", "=\x1b[1m\\n"]
    rows = [[f"r{n}", n, *["oops" if n == 7 else n + 0.5] * len(names)] for n in range(20)]
    write_csv(tmp_path / "a.csv", [["id", "x", *names], *rows])
    done = mvcc("cluster", "a.csv", "-k", "2", "--dry-run", cwd=tmp_path)
    head, first, *_, above, command = done.stderr.splitlines()
    assert (done.returncode, head) == (1, "mvcc: 7 problems:")
    assert first.startswith("  a.csv:11: line 11 has 'oops'")
    assert above == "To go on without these columns:"
    script = f"mvcc() {{ printf '%s\\0' \"$@\"; }}; {command}"
    words = subprocess.run(
        ["bash", "-c", script], stdout=-1, env=os.environ | {"LC_ALL": "C.UTF-8"}
    ).stdout.decode()
    done = mvcc(*words.split("\0")[:-1], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a: 20 rows, 1 of 9 columns used, 0 constraints (a.csv)\n" in done.stdout
    assert "left out  ignored; 0.5 | 1.5\n" in done.stdout


@pytest.mark.parametrize("unit", ["s", "us", "ns", "day", "object"])
def test_points_in_time_of_any_year_are_days_whatever_their_unit(tmp_path, unit):
    first, last = ("1677-09-22", "2262-04-10") if unit == "ns" else ("0001-01-01", "9999-12-31")
    days = [date.fromisoformat(day) for day in (first, last, "2020-01-01")] + [None]
    types = {"day": pyarrow.date32(), "object": pyarrow.date64()}
    column = pyarrow.array(days, types.get(unit, pyarrow.date32()))
    column = column if unit in types else column.cast(pyarrow.timestamp(unit))
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"n": [0.0, 1.0, 2.0, 4.0], "day": column}), path)
    table = read_table("shop", View(path=str(path)))
    assert [(one.kind, one.n_missing) for one in table.used] == [("number", 0), ("date", 1)]
    assert (NO_END in table.used[1].note) == (unit != "ns")
    found = table.X["day"].tolist()
    assert [written(one, "date") for one in found[:3]] == [first, last, "2020-01-01"]
    assert np.isnan(found[3])


def test_points_in_time_with_a_zone_are_those_of_utc_in_typed_files_as_in_texts(tmp_path):
    noon = pd.Series(pd.to_datetime(["2020-01-01 12:00", "2020-07-01 12:00"]))
    frame = pd.DataFrame({"n": [0.5, 1.5], "at": noon.dt.tz_localize("Asia/Tokyo")})
    frame.to_parquet(tmp_path / "t.parquet")
    days = read_table("shop", View(path=str(tmp_path / "t.parquet"))).X[:, 1]
    assert days.tolist() == [18262 + 3 / 24, 18444 + 3 / 24]


def test_whole_numbers_are_shown_as_such_where_some_are_missing():
    frame = pd.DataFrame(
        {"x": range(4), "year": [1987.0, np.nan, 2001, 7], "part": [0.5, None, 1, 2]}
    )
    shown = table_of(frame, "shop", View(path="t.parquet"), Problems(), ["year", "part"]).shown
    assert shown == {"year": ["1987", "", "2001", "7"], "part": ["0.5", "", "1", "2"]}


@pytest.mark.parametrize(("ending", "save"), [(".npy", np.save), (".npz", np.savez)])
def test_columns_of_arrays_have_no_meaning_so_none_repeats_another(tmp_path, ending, save):
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[:, 2] = 2 * X[:, 0]
    path = str(tmp_path / f"t{ending}")
    save(path, X)
    assert len(table_of(read_frame(path), "shop", View(path=path), Problems()).columns) == 3


@pytest.mark.parametrize(
    "notes", [["a", "a a"] * 6, ["sun sky car fox", "sun sky car owl", "sun sky car fox"] * 4]
)
def test_texts_with_a_single_term_are_clustered_and_new_ones_predicted(notes):
    table = pd.DataFrame({"note": notes, "size": np.arange(12) ** 1.5})
    found = cluster_views(
        {"notes": table}, n_clusters=2, columns={"notes": {"note": "text"}}, **QUICK
    )
    np.testing.assert_array_equal(found.predict(table, "notes"), found.labels["notes"])


def test_a_glance_at_the_first_rows_decides_nothing_that_later_rows_deny():
    files = pd.Series([f"{n}.pdf" for n in range(1500)])
    assert file_reason(files) is LeftOut.FILES
    assert file_reason(pd.Series([*files, "gone"])) is None
    assert file_reason(pd.Series(["gone", *files])) is None
    codes = pd.Series([f"INV-{n:04}" for n in range(1500)])
    assert looks_like_codes(codes)
    assert looks_like_codes(codes[:10])
    assert not looks_like_codes(codes[:9]), "too few"
    assert not looks_like_codes(pd.Series([*codes, codes.iloc[0]]))
    assert looks_like_codes(pd.Series([f"{'ABC'[n % 3]} {1234 + n}" for n in range(28)]))
    assert looks_like_codes(pd.Series([f"3OUT{812 + n}" for n in range(28)]))


DAYS = "{:02}-Jan-23,{:02}DEC2023,{:02}/Mai/2023,2023年1月{}日,Mai-20{:02},dez/20{:02}"


@pytest.mark.parametrize("dated", [*DAYS.split(","), "MAI 20{:02}", "FS 20{:02}", "EUR 8{:02}"])
def test_days_terms_and_prices_are_no_codes(dated):
    assert not looks_like_codes(pd.Series([dated.format(n) for n in range(1, 29)]))


def test_a_decimal_point_in_a_late_row_tells_what_commas_are(tmp_path):
    rows = "".join(f'r{n},{n % 7},"1,{200 + n % 9}"\n' for n in range(GLANCE))
    table = read(tmp_path, f'id,x,y\n{rows}last,0.5,"1,300"\n')
    assert table.X[-1].tolist() == [0.5, 1300]


NUMBERS = st.sampled_from(["1.5", "-0", "1e-320", "007", "+1", "1_0", "nan", "inf", " 2", "", "a"])


@given(st.lists(st.one_of(st.floats(allow_nan=False).map(repr), NUMBERS), min_size=1, max_size=9))
def test_pyarrow_reads_numbers_to_the_bit_or_not_at_all(words):
    found = numbers_by_arrow(pd.Series(words, dtype="string[pyarrow]"))
    if found is not None:
        np.testing.assert_array_equal(found, np.array(words, dtype=np.float64))
    assert numbers_by_arrow(pd.Series(words, dtype=object)) is None


@pytest.mark.parametrize("last", ["0.5", "12", "007", "1e3", "n/a", ""])
def test_many_rows_are_read_as_few(tmp_path, last):
    lines = [*(f"{n / 8:.3f}" for n in range(1, GLANCE + 8)), last]
    paths = [tmp_path / "many.csv", tmp_path / "few.csv"]
    many, few = (
        read_table("t", View(path=write_csv(path, [["id", "a"], *enumerate(some)])))
        for path, some in zip(paths, (lines, lines[-20:]), strict=True)
    )
    assert many.every_column[1].kind == few.every_column[1].kind == "number"
    rows = pd.DataFrame(many.X).to_numpy()[-20:]
    np.testing.assert_array_equal(rows, pd.DataFrame(few.X).to_numpy())


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([1, 2, 3, 4, 5, 9], "9 in Q (5 rows, all others 1 to 5)"),
        ([1, 2, 9], "9 in Q (10 rows, all others 1 to 2)"),
        ([1, 2, 3, 4, 5, 98, 99], "98 and 99 in Q (8 rows, all others 1 to 5)"),
        ([1, 3, 4, 5, 8, 99], "8 and 99 in Q (10 rows, all others 1 to 5)"),
        ([*range(11), -1], None),
        ([*range(1, 11), -1, 99], "-1 and 99 in Q (4 rows, all others 1 to 10)"),
        ([*range(1, 8), 9], "9 in Q (3 rows, all others 1 to 7)"),
        ([1, 2, 4, 5, 6, 8], None),
        ([1, 2, 3, 4, 7], None),
        ([4, 5, 6, 8], None),
        ([1, 2.5, 6, 24], None),
        ([0, 31.5, 35, 40.5], None),
        ([1.5, 2, 3.5, 999.9], "999.9 in Q (7 rows, all others 1.5 to 3.5)"),
        ([1.5, 2, 3.5, -8], "-8 in Q (7 rows, all others 1.5 to 3.5)"),
        ([-1.5, 2, 3.5, -30], None),
        ([-1.5, 2, 3.5, 65535], "65535 in Q (7 rows, all others -1.5 to 3.5)"),
        ([1, 2.5, 4, 5, 9], None),
        ([*range(10)], None),
    ],
)
def test_codes_beside_a_scale_are_named_since_they_may_mean_no_answer(values, named):
    frame = pd.DataFrame({"Q": (values * 30)[:30], "k": np.arange(30)})
    numbers = dict(frame.astype(float).items())
    notes = "".join(notes_on_far_values(frame, "a", View(path="a.csv"), numbers))
    assert notes.startswith(f"a.csv has {named}. If this means missing, " if named else notes)
    assert bool(notes) == bool(named)
    empties_more = named is not None and named.startswith(("8 ", "9 "))
    assert notes.endswith(" This also empties cells of k.") == empties_more


def test_a_code_of_one_column_that_is_an_answer_in_another_one_with_codes_is_named():
    frame = pd.DataFrame({"Q": [1, 2, 3, 4, 5, 9] * 6, "nps": [*range(11), 99] * 3})
    numbers = dict(frame.astype(float).items())
    (note,) = notes_on_far_values(frame, "a", View(path="a.csv"), numbers)
    assert "9 in Q (6 rows, all others 1 to 5) and 99 in nps (3 rows, all others 0 to 10)" in note
    assert note.endswith(" This also empties cells of nps.")


def test_one_word_beside_many_numbers_is_a_mistake_that_may_mean_missing(tmp_path):
    prices = [f"{n * 37 % 101},5 €" if n % 4 else "on request" for n in range(60)]
    said = "'on request', which is not a finite number in € like the others, .* 15 values are like"
    with pytest.raises(DataError, match=f"{said} that.* --missing 'shop=on request'"):
        column_of(tmp_path, "|".join(prices))
    column, _ = column_of(tmp_path, "|".join(prices), missing=("on request",))
    assert (column.kind, column.n_missing) == ("number", 15)
    below_detection = "|".join(f"{n * 37 % 101}" if n % 4 else "b.d." for n in range(60))
    with pytest.raises(DataError, match=r"'b\.d\.', which is not a finite number"):
        column_of(tmp_path, below_detection)
    grades = [f"{n % 5}" if n % 4 else "absent" for n in range(60)]
    assert column_of(tmp_path, "|".join(grades))[0].kind == "category"
    halves = [f"{n}" if n % 2 else "hall" for n in range(60)]
    assert column_of(tmp_path, "|".join(halves))[0].kind == "text"


def test_values_that_are_usual_in_many_columns_are_no_codes_in_one():
    counts = {f"gene {n}": np.arange(30) % (10 + n) for n in range(20)}
    percents = {f"percent {n}": np.arange(70, 100) for n in range(20)}
    answers = {"Q": [1, 2, 3, 4, 5, 9] * 5, "R": [1, 2, 3, 4, 5, 99] * 5}
    frame = pd.DataFrame({**answers, "age": [*range(27), -99, -99, -99], **counts, **percents})
    (note,) = notes_on_far_values(frame, "a", View(path="a.csv"), dict(frame.astype(float).items()))
    odd = "99 in R (5 rows, all others 1 to 5) and -99 in age (3 rows, all others 0 to 26)"
    assert note.startswith(f"a.csv has {odd}. If this means")


@pytest.mark.parametrize("filled", ["1", "4.0"])
def test_one_number_beside_empty_cells_is_a_choice(tmp_path, filled):
    cells = "|".join(filled if n % 3 else "" for n in range(30))
    column, values = column_of(tmp_path, cells)
    assert (column.kind, column.note) == ("category", "empty cells beside one number are a value")
    assert (column.n_missing, values[1:3], pd.isna(values[0])) == (10, [filled] * 2, True)
    assert column_of(tmp_path, cells, columns={"c": "number"})[0].kind == "number"


@pytest.mark.parametrize("cells", ["1|" * 18, "0|0|", "0.5|0.5|", "7||"])
def test_a_constant_with_gaps_is_no_choice(tmp_path, cells):
    assert column_of(tmp_path, cells)[0].kind == "number"


@pytest.mark.parametrize(
    ("cells", "n_columns", "is_named"),
    [
        ("1,,,1,,,2,,", 5, True),
        ("1,,2,1,,1,2,,", 5, False),
        ("1,,,1,,,2,,", 4, False),
        ("1,,,1,,,0,,", 5, False),
        ("1,,,1,,,1.5,,", 5, False),
        ("2,,,3,,,3,,", 5, False),  # as ranks are
        ("1,,,", 5, False),
    ],
)
def test_empty_cells_of_counts_may_mean_0(tmp_path, cells, n_columns, is_named):
    cells = cells.split(",")
    rows = [
        f"r{n},{','.join(cells[(n + c) % len(cells)] for c in range(n_columns))}" for n in range(9)
    ]
    names = [f"Carex {n}" for n in range(n_columns)]
    said = "".join(read(tmp_path, "\n".join([f"id,{','.join(names)}", *rows])).far_values)
    assert ("no 0, in Carex 0, Carex 1 and 3 more. If an empty cell means 0" in said) == is_named


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ""),
        ("Hall 2;;;\n", "line 4 has no value that is clustered; 1 row is like that"),
        ("Hall 2;;;\n;;;\nHall 3;;;\n", "line 4 has no value that is clustered; 2 rows are"),
        (
            "Sum: ;7;8;\n",
            "line 4 has 'Sum:'; 1 row is like that. Delete such rows if they are sums",
        ),
    ],
)
def test_headings_and_sums_among_rows_are_named(tmp_path, content, said):
    rows = "".join(f"r{n};{n % 3};{n % 4};{'abc'[n % 3]}\n" for n in range(9))
    notes = read(tmp_path, f"id;x;y;c\nv;1;2;c\nw;2;1;b\n{content}{rows}").notes
    found = [note for note in notes if "Left out" not in note]
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_a_second_line_of_names_is_told_once(tmp_path):
    rows = "".join(f"{n};{n % 3};0{1 + n % 9}.01.2023;{n % 4}\n" for n in range(30))
    content = f"id;Q1;on;Q2\nNumber;How?;When?;2nd?\n[N];[1-5];[date];[1-4]\n{rows}"
    message = (
        r"line 2 has words in columns of numbers or dates \('Q1', 'on'\)\. Delete it if.* is above"
    )
    with pytest.raises(DataError, match=message) as error:
        read(tmp_path, content)
    assert "\n" not in str(error.value)
    with pytest.raises(DataError, match="3 problems:"):
        read(tmp_path, content.replace("How?;When?", "2 a;3 b"))
