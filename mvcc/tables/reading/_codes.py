"""Columns that are called or written like ids, codes, labels or names of files."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from mvcc.tables.reading._column import (
    MONTHS,
    LeftOut,
    are_few_codes,
    as_texts,
    first_text,
    given_texts,
    is_missing,
)
from mvcc.tables.reading._numbers import CURRENCY
from mvcc.tables.reading._pictures import SUFFIXES

_LABELS = re.compile(
    r"(true[ _-]?)?(labels?|class(es)?|targets?|category|clusters?|species)", re.IGNORECASE
)
_MOST_LABELS = 50
_ID = re.compile(
    r"(.*[ _.-])?([pu]?id|ids|idno|key|code|nr|no|number|uuid|identifier|sku|isbn|ean|imo|mmsi"
    r"|mrn|siret|iban|matr[ií]cul[ae]|barcode|c[oó]digo|codice|#|n\.?[°º])\.?",
    re.IGNORECASE,
)
# which ends a name in Chinese, Japanese and Korean
_EASTERN_ID = (
    ".*(番号|番號|编号|編號|号码|號碼|单号|單號|コード|代码|代碼|번호|(?<=[^\\W\\d_a-z])id)"
)
_CAMEL_ID = re.compile(r".*[a-z](ID|Id|Key|Code|Nr|No)")
_PERSON = (
    "user|customer|client|patient|subject|person|participant|respondent|student|member|employee"
    "|account"
)
# not all words that end in id, such as paid
_COMPOUND_ID = re.compile(
    r"(.*(nummer|number|n[uú]m[eé]ro)|(n\.?[°º]|n[uú]m[eé]ro|réf\.?|référence) .*|.*\w{3}nr"
    rf"|(.*[ _.-])?({_PERSON}|order|product|item|object"
    r"|sample|record|case|session|visit|device|kunden?|artikel)id)\.?"
    rf"|{_EASTERN_ID}|(numer|kod|номер|код)( .*)?",
    re.IGNORECASE,
)
# not number, which may count, as white_cell_number does
_ENDS_AS_ID = re.compile(rf".*(ids?|nummer|nr|imo|mmsi)\.?|{_EASTERN_ID}", re.IGNORECASE)
# if most values differ; Rooms # may count, too
_MAY_BE_ID = re.compile(
    r".*#|(n\.?[°º]|n[uú]m[eé]ro|numer|номер) .*"
    rf"|(.*[ _.-])?(mrn|({_PERSON})[ _.-]?no\.?)",  # the member number of clubs counts
    re.IGNORECASE,
)
# Spanish, Portuguese and Italian count by the same word, with a plural: número de camas
_COUNT = re.compile(r"(n\.?º|n\.°|n[uú]mero) (d\w{1,3} )?(l[ao]s )?\w{3,}[si]\b.*", re.IGNORECASE)
_MONTH = rf"(?i:{'|'.join(MONTHS)})[^\W\d_]*"
_MONTH_OR_YEAR = (
    rf"(?:\d{{1,2}}[-./]?{_MONTH}[-./]?(?:\d\d)?\d\d(?!\d)|\w{{3,4}}年"
    r"|(?:19|20)\d\d(?:-?[Qq][1-4]|M(?:0\d|1[0-2]))$|[Qq][1-4][-/]?(?:19|20)\d\d$"
    rf"|(?=[^\W\d_]+[-/](?:19|20)\d\d$){_MONTH})"
)
# with letters and digits, but neither a number with its unit nor a date or a year
_CODE = re.compile(
    rf"(?!(?i:{'|'.join(MONTHS)}|{CURRENCY}) )[A-Z]{{1,4}} (?!(?:19|20)\d\d$)\d{{3,12}}"
    r"|(?=.*\d)(?=.*[^\W\d_])(?![+-]?[\d.,]+[^\W\d_]{1,3}$)(?!\d{1,4}[-/.]\d)"
    rf"(?!{_MONTH_OR_YEAR})[\w.:/-]{{2,60}}"
)
NAMED_CODES = re.compile(
    r"(?P<postal>(.*[ _-])?(plz|postleitzahl|zip|zip[ _-]?code|zipcode|post(al)?[ _-]?code|npa"
    r"|code[ _-]postal|c[oó]d(igo|ice|\.)[ _-]postale?|postnr|postnummer|kod[ _-]pocztowy"
    r"|posta[ _-]?kodu|почтовый индекс)\.?|(?P<short>cap|cep)"
    r"|индекс|郵便番号|邮编|邮政编码|郵遞區號|우편번호)"
    r"|(.*[ _-])?((tele)?(phone|fon|fax|tel|mobile)|handy|téléphone|tel[eé]fono|telefone|telefoon"
    r"|telemóvel|m[oó]vil|celular|cellulare|gsm|телефон|(電話|携帯)(番号)?|电话|手机号?码?|전화번호)"
    r"([ _-]?(no|nr|num(ber|mer)?))?\.?",
    re.IGNORECASE,
)
DECIMAL = re.compile(r"[+-]?\d*[.,]\d+")
# 23-4411 is not a range, pandas writes 7.0 where others are missing, and -1 is for none
_WHOLE_ID = re.compile(r"(-1|\d+([-/]\d+)*)(\.0)?")
# such as year_id, but not candidate_id
_TIME = re.compile(
    r"(.*[\W_])?(year|quarter|qtr|month|week|(week)?day|date|hour|time|period|lap|round|wave|jahr"
    r"|quartal|monat|(kalender)?woche|kw|(wochen)?tag|datum|stunde|runde|welle|jaar|kwartaal|maand"
    r"|dag|uge|m[åa]ned|vecka|månad)e?[sn]?[\W_]*(ids?|nummer|nr)\.?",
    re.IGNORECASE,
)
_FILES = (
    *SUFFIXES,
    *(".pdf", ".tif", ".tiff", ".doc", ".docx", ".xls", ".xlsx", ".csv", ".txt", ".eml"),
)
_FEWEST_CODES, ENOUGH_CODES = 10, 0.9  # rows, and the share above which a column holds codes
_ENOUGH_IDS = 0.5  # of the values of a column called id that are distinct
USUAL_IDS = ("id", "ids")  # names of columns that name rows, or else what these are of


def why_unasked(name: str, values: pd.Series[Any], code: LeftOut | None) -> LeftOut | None:
    """Tell why a column that nobody spoke of is left out; None if it is not."""
    if reason := file_reason(values):
        return reason
    if looks_like_ids(name, values):
        return LeftOut.AN_ID
    # or which thing, of perhaps several rows, a row is of; numbers that repeat may be counts
    is_called_id = _is_called_id(name)
    if is_called_id or _are_codes(values):
        texts = given_texts(values)
        share = texts.nunique() / max(len(texts), 1)
        if share > (_ENOUGH_IDS if is_called_id else ENOUGH_CODES) and _are_codes(texts):
            return LeftOut.AN_ID
    is_usual = code is LeftOut.AN_ID and name.strip().lower() in USUAL_IDS
    if code and (is_usual or not are_few_codes(values[~is_missing(values)])):
        return code
    if _LABELS.fullmatch(name.strip()):
        texts = given_texts(values, of_categories=True)
        if 2 <= texts.nunique() <= _MOST_LABELS:
            are_names = texts.is_unique and texts.str.contains(r"[^\W\d_]").all()
            return LeftOut.NAMES if are_names else LeftOut.LIKE_LABELS
    return None


def looks_like_ids(name: str, values: pd.Series[Any]) -> bool:
    """Tell whether a column is called as ids are, and has distinct texts or whole numbers."""
    if not _is_called_id(name) or values.dtype.kind not in "iufOUT" or is_missing(values).any():
        return False
    return may_name_rows(as_texts(values))


def holds_ids(name: str, values: pd.Series[Any]) -> bool:
    """Tell whether a column has numbers or codes as ids, perhaps of things with several rows."""
    name = name.strip()
    if not _is_called_id(name) or _TIME.fullmatch(name):
        return False
    texts = given_texts(values)
    differ = texts.nunique() > _ENOUGH_IDS * len(texts)
    if not (_ENDS_AS_ID.fullmatch(name) or (differ and _MAY_BE_ID.fullmatch(name))):
        return False
    are_whole = texts.str.fullmatch(_WHOLE_ID).mean() > ENOUGH_CODES
    return bool(are_whole) or _are_codes(values)


def may_name_rows(texts: pd.Series[Any]) -> bool:
    """Tell whether texts are distinct, and none has a decimal sign."""
    return not texts.duplicated().any() and not texts.str.fullmatch(DECIMAL).any()


def looks_like_codes(values: pd.Series[Any]) -> bool:
    """Tell whether a column holds codes such as INV-0187, each of one row."""
    return _are_codes(values) and not values.duplicated().any()


def file_reason(values: pd.Series[Any]) -> LeftOut | None:
    """Tell why values that all name files are left out: these hold what they are about."""
    if values.dtype.kind not in "OUT":
        return None
    first = first_text(values).casefold()
    if first and not first.endswith(_FILES):
        return None
    texts = given_texts(values).str.lower()
    if not (len(texts) and texts.str.endswith(_FILES).all()):
        return None
    if texts.str.endswith(SUFFIXES).all():
        return LeftOut.PICTURES
    return LeftOut.FILES


def _is_called_id(name: str) -> bool:
    name = name.strip()
    is_other = NAMED_CODES.fullmatch(name) or _COUNT.fullmatch(name)
    is_compound = _COMPOUND_ID.fullmatch(name) and not is_other
    return bool(_ID.fullmatch(name) or _CAMEL_ID.fullmatch(name) or is_compound)


def _are_codes(values: pd.Series[Any]) -> bool:
    if values.dtype.kind not in "OUT" or len(values) < _FEWEST_CODES:
        return False
    # if half of the first fifth are none, the others are too few; looking at all takes long
    first = values.iloc[: len(values) // 5 + 1].tolist()
    n_first = sum(_CODE.fullmatch(str(value).strip()) is not None for value in first)
    may_be = n_first > len(first) / 2 and not is_missing(values).any()
    return bool(may_be and as_texts(values).str.fullmatch(_CODE).mean() > ENOUGH_CODES)
