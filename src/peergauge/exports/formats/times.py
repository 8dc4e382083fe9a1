"""Reading timestamps as forms, spreadsheets and platforms write them."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from peergauge.core.lazy import pl

SECONDS_PER_DAY = 86_400
SPREADSHEET_EPOCH_DAYS = 25_569
"""The number of 1970-01-01 in a spreadsheet, which counts days from 1899-12-30."""

MIN_ROWS_FOR_ORDER = 5
"""Number of timestamps from which on their order shows which number is the day."""

SPREADSHEET_DAYS = (20_000.0, 80_000.0)
"""Numbers of days in a spreadsheet that are dates between 1954 and 2119."""

MONTH_NAMES = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janner janv janvier ene enero gen gennaio",
            "feb february februar fev fevr fevrier febrero febbraio",
            "mar march marz mrz maerz mars marzo",
            "apr april avr avril abr abril aprile",
            "may mai mayo mag maggio",
            "jun june juni juin junio giu giugno",
            "jul july juli juil juillet julio lug luglio",
            "aug august aou aout ago agosto",
            "sep sept september septembre septiembre set settembre",
            "oct october okt oktober octobre octubre ott ottobre",
            "nov november novembre noviembre",
            "dec december dez dezember decembre dic diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}
"""Names of months and their abbreviations in English, German, French, Spanish and Italian."""

_CLOCK = (
    r"(?:(?:[T,\s]|\bat\b|\bum\b|\bà\b)+(\d{1,2})[:.h](\d{2})(?:[:.](\d{2}(?:[.,]\d+)?))?"
    r"\s*([AaPp])?(?:\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|Uhr)?\s*([+-]\d{1,2}(?::?\d{2})?)?"
    r"(?:\s*\(?[A-Z]{2,5}\)?)?)?"
)
_DATE = rf"^\s*(\d{{1,4}})\s?([-/.])\s?(\d{{1,2}})\s?[-/.]\s?(\d{{1,4}}){_CLOCK}\s*$"
_WORDED = (
    re.compile(r"(\d{1,2})\.?\s*(?:de\s+)?[-\s]\s*([^\W\d_]+)\.?,?\s*(?:de\s+)?[-\s]\s*(\d{4})"),
    re.compile(r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})"),
)


class Times(NamedTuple):
    """The times in a column of timestamps, in seconds since 1970."""

    seconds: pl.Series
    """Null where a cell is not a timestamp."""

    other: pl.Series | None = None
    """The times if days and months change places; None if their order is known."""

    month_first: bool = False
    """Whether :attr:`seconds` takes 3/4 for the fourth of March, if the order is not known."""


def times_of(cells: pl.Series) -> Times:
    """Read a column of timestamps.

    The order of days and months is that of the whole column: 13/4 can only be the 13th of April.
    Otherwise, the order is that in which the rows are sorted by time, if there is exactly one.

    >>> times_of(pl.Series(["1970-01-02T00:00:10Z", "1970-01-01 01:00 GMT+1"])).seconds.to_list()
    [86410.0, 0.0]
    """
    found = _parts(cells.cast(pl.String))
    year_first = found["a"] > 31
    days = found.filter(~year_first.fill_null(False))
    first, second = days["a"].drop_nulls(), days["b"].drop_nulls()
    month_first = _seconds(found, month_first=True)
    day_first = _seconds(found, month_first=False)
    if not len(first) or (days["mark"].drop_nulls() == ".").all() or (first > 12).any():
        # Dots stand between a day and a month, in this order.
        return Times(day_first)
    if (second > 12).any():
        return Times(month_first)
    sorted_by = [one.drop_nulls().is_sorted() for one in (month_first, day_first)]
    if sorted_by[0] != sorted_by[1] and len(first) >= MIN_ROWS_FOR_ORDER:
        return Times(month_first if sorted_by[0] else day_first)
    return Times(month_first, day_first, month_first=True)


def _parts(cells: pl.Series) -> pl.DataFrame:
    """The numbers in each timestamp; a number of days or seconds stands in a column of its own."""
    text = cells.str.strip_chars()
    names = ["a", "mark", "b", "c", "hour", "minute", "second", "half", "zone"]
    groups = text.str.extract_groups(_DATE).struct.rename_fields(names).struct.unnest()
    left = groups["a"].is_null() & text.is_not_null()
    if left.any():
        plain = text.cast(pl.Float64, strict=False)
        odd = text.filter(left & plain.is_null()).unique()
        if len(odd):
            spelt = text.replace(odd, pl.Series([_numbered(one) for one in odd], dtype=pl.String))
            text = spelt
            groups = text.str.extract_groups(_DATE).struct.rename_fields(names).struct.unnest()
    numbers = groups.with_columns(
        pl.col("a", "b", "c", "hour", "minute").cast(pl.Float64, strict=False),
        pl.col("second").str.replace(",", ".", literal=True).cast(pl.Float64, strict=False),
        number=text.cast(pl.Float64, strict=False),
    )
    zone = pl.col("zone").str.replace(":", "", literal=True)
    sign = pl.when(zone.str.starts_with("-")).then(-1.0).otherwise(1.0)
    digits = zone.str.slice(1)
    hours = pl.when(digits.str.len_chars() > 2).then(digits.str.head(-2)).otherwise(digits)
    minutes = pl.when(digits.str.len_chars() > 2).then(digits.str.tail(2)).otherwise(pl.lit("0"))
    offset = sign * (3600 * hours.cast(pl.Float64) + 60 * minutes.cast(pl.Float64))
    return numbers.with_columns(zone=offset.fill_null(0.0))


def _numbered(text: str) -> str | None:
    """A timestamp with the name of a month, with numbers instead; None if it has no month."""
    plain = unicodedata.normalize("NFKD", text[:80])
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    for place, pattern in enumerate(_WORDED):
        if found := pattern.search(plain):
            day, name, year = found.groups() if not place else (found[2], found[1], found[3])
            month = MONTH_NAMES.get(name.casefold())
            if month is not None:
                return f"{year}-{month:02d}-{int(day):02d}{plain[found.end() :]}"
    return None


def _seconds(parts: pl.DataFrame, *, month_first: bool) -> pl.Series:
    """Seconds since 1970; null for a day or a month that does not exist."""
    year_first = pl.col("a") > 31
    month = pl.when(year_first).then("b").otherwise("a" if month_first else "b")
    day = pl.when(year_first).then("c").otherwise("b" if month_first else "a")
    year = pl.when(year_first).then("a").otherwise("c")
    year = pl.when(year < 100).then(year + 2000).otherwise(year)
    hour = pl.col("hour").fill_null(0.0)
    half = pl.col("half").str.to_lowercase()
    hour = (
        pl.when(half == "p").then(hour % 12 + 12).when(half == "a").then(hour % 12).otherwise(hour)
    )
    # The number of days since 1970 of a date in the Gregorian calendar, from March to February.
    years = year - (month <= 2).cast(pl.Float64)
    era = (years / 400).floor()
    of_era = years - 400 * era
    months = (month + 9) % 12
    of_year = ((153 * months + 2) / 5).floor() + day - 1
    days = 146_097 * era + 365 * of_era + (of_era / 4).floor() - (of_era / 100).floor() + of_year
    clock = 3600 * hour + 60 * pl.col("minute").fill_null(0.0) + pl.col("second").fill_null(0.0)
    dated = SECONDS_PER_DAY * (days - 719_468) + clock - pl.col("zone")
    possible = month.is_between(1, 12) & day.is_between(1, 31) & year.is_between(1900, 2200)
    number = pl.col("number")
    counted = (
        pl.when(number.is_between(*SPREADSHEET_DAYS))
        .then(SECONDS_PER_DAY * (number - SPREADSHEET_EPOCH_DAYS))
        .when(number.is_between(5e8, 5e9))
        .then(number)
        .when(number.is_between(5e11, 5e12))
        .then(number / 1000)
    )
    found = parts.select(pl.when(possible).then(dated).otherwise(counted).round(3).alias("time"))
    return found["time"]
