"""The datasets that this package knows: what they are, who may have them, and how to read them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A dataset, described.

    Parameters
    ----------
    name
        Name for :func:`peergauge.datasets.load`.
    title
        What it is, in a few words.
    kind
        ``included``: part of this package; ``simulated``: drawn anew, and described by published
        numbers alone; ``elsewhere``: published by others, and not part of this package.
    size
        Its size in words.
    source
        Whom to cite.
    address
        Where it was published.
    licence
        What its authors allow.
    reading
        How to read it: code, or steps.

    Examples
    --------
    >>> import peergauge.datasets
    >>> peergauge.datasets.about("cornell")
    <Dataset 'cornell': Ratings of final projects in a course on data science, elsewhere>
    >>> peergauge.datasets.about("cornell").address
    'https://github.com/ORIE4741/homework'
    """

    name: str
    title: str
    kind: Literal["included", "simulated", "elsewhere"]
    size: str
    source: str
    address: str
    licence: str
    reading: str

    @property
    def items(self) -> tuple[tuple[str, str], ...]:
        """Everything that is said about the dataset, as pairs of words."""
        return (
            ("kind", KIND_WORDS[self.kind]),
            ("size", self.size),
            ("cite", self.source),
            ("address", self.address),
            ("licence", self.licence),
            ("read it", self.reading),
        )

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.items) + 2
        indented = f"\n{' ' * width}"
        lines = [f"{name:<{width}}{text.replace(chr(10), indented)}" for name, text in self.items]
        return "\n".join([f"{self.name}: {self.title}", *lines])

    def __repr__(self) -> str:
        return f"<Dataset '{self.name}': {self.title}, {self.kind}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td style='text-align:left; white-space:pre-wrap'>"
            f"{escape(text)}</td></tr>"
            for name, text in self.items
        )
        return f"<b>{escape(self.name)}</b>: {escape(self.title)}<table>{rows}</table>"


KIND_WORDS = {
    "included": "part of this package",
    "simulated": "simulated by this package; nobody in it exists",
    "elsewhere": "published elsewhere; not part of this package, and never fetched by it",
}
"""The kinds of datasets in words."""

THE_PAPER = (
    "N. Burrell and G. Schoenebeck, Measurement Integrity in Peer Prediction: A Peer Assessment "
    "Case Study, 2022, arXiv:2108.05521"
)
THE_PAPER_ADDRESS = "https://arxiv.org/abs/2108.05521"
EDX_SOURCE = (
    "V. Shnayder and D. C. Parkes, Practical Peer Prediction for Peer Assessment, HCOMP 2016"
)
EDX_ADDRESS = "https://github.com/shnayder/shnayder-peer-prediction-analysis"
NO_LICENCE = "none stated; ask its authors before you pass it on"

INCLUDED = (
    Dataset(
        name="edx-pairs",
        title="Joint distributions of the scores of two peers on questions of edX courses",
        kind="included",
        size="1944 questions of 236 courses; no single reports, no true scores",
        source=EDX_SOURCE,
        address=EDX_ADDRESS,
        licence="MIT, copyright 2016 Victor Shnayder (NOTICE.md in peergauge.datasets)",
        reading='peergauge.datasets.load("edx-pairs")',
    ),
    Dataset(
        name="paper-results",
        title="Published results of the paper, as means over repetitions",
        kind="included",
        size="every cell of the simulated experiments, and of two of the four real classes",
        source=THE_PAPER,
        address=THE_PAPER_ADDRESS,
        licence="MIT, copyright 2022 Noah Burrell (NOTICE.md in peergauge.lab.paper)",
        reading='peergauge.datasets.load("paper-results")',
    ),
)
"""What is part of the package."""

ELSEWHERE = (
    Dataset(
        name="auckland",
        title="Peers and three tutors grade an introductory coding assessment in R",
        kind="elsewhere",
        size="247 submissions, 305 graders, 741 reports on 0..14, all submissions graded by tutors",
        source=(
            "C. M. Jones-Todd and A. Renelle, A Comparison of Peer- and Tutor-Grading of an "
            "Introductory R Coding Assessment, Journal of Statistics and Data Science Education, "
            "2025, doi:10.1080/26939169.2025.2520205"
        ),
        address="https://github.com/statbiscuit/peer-grading",
        licence=NO_LICENCE,
        reading="""\
In R, in a copy of the repository:
  load("student_and_tutor-grades.RData")
  reports <- peer_grades[, c("file_name", "assessor_id", "score")]
  names(reports) <- c("submission", "grader", "score")
  write.csv(reports, "reports.csv", row.names = FALSE)
  truth <- aggregate(total ~ file_name, tutor_grades, mean)
  names(truth) <- c("submission", "truth")
  write.csv(truth, "truth.csv", row.names = FALSE)
In Python, with both files in FOLDER:
  opened = peergauge.open_class("FOLDER", scale="0..14:any")
  opened.reports, opened.truth""",
    ),
    Dataset(
        name="cornell",
        title="Ratings of final projects in a course on data science",
        kind="elsewhere",
        size="45 projects, 109 graders, 217 ratings on 1..6, all projects scored by staff",
        source="Peer ratings of the final projects of ORIE 4741, Cornell University, autumn 2017",
        address="https://github.com/ORIE4741/homework",
        licence=NO_LICENCE,
        reading="""\
In Python, with julia/ratings.csv of the repository:
  opened = peergauge.open_class("ratings.csv", scale="1..6")
  opened.reports, opened.truth""",
    ),
    Dataset(
        name="mooc",
        title="Peer grades of the third assignment of a massive open online course",
        kind="elsewhere",
        size="724 submissions, 636 graders, 2084 reports on 0..25, 23 submissions scored by staff",
        source=(
            "F. Mi and D.-Y. Yeung, Probabilistic Graphical Models for Boosting Cardinal and "
            "Ordinal Peer Grading in MOOCs, AAAI 2015"
        ),
        address="https://github.com/MiFei/AAAI15-Peer-Grading",
        licence=NO_LICENCE,
        reading="""\
In Python, in a copy of the repository:
  from scipy.io import loadmat
  rows = loadmat("data/gradeass3.mat")["gradeass3"]
  staff = loadmat("data/ground3.mat")["ground3"]
  names = ("submission", "grader", "author", "grade")
  columns = {name: [one.item() for one in rows[:, k]] for k, name in enumerate(names)}
  reports = peergauge.Reports.from_frame(columns, "0..25")
  truth = peergauge.Truth.from_frame({"submission": staff[:, 0], "score": staff[:, 1]})""",
    ),
    Dataset(
        name="paper-classes",
        title="The four classes of the paper",
        kind="elsewhere",
        size="49 to 94 students, 313 to 758 submissions, 1586 to 4080 grades each",
        source=THE_PAPER,
        address=THE_PAPER_ADDRESS,
        licence="private: the classes were never published",
        reading=(
            "Nobody but the authors can read them. Use their simulated stand-ins, such as\n"
            'peergauge.datasets.load("spring-2017").'
        ),
    ),
)
"""What others published, and what nobody did."""
