"""Published results of the real classes against those of simulated stand-ins."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.results import cells
from peergauge.lab.paper.class_comparison import class_findings, gains_against_published
from peergauge.lab.paper.published import (
    CELL,
    GAIN_KIND,
    INTEGRITY_KIND,
    class_agreement,
    class_summary,
    classes_to_published,
    published_of_classes,
    shipped_cells,
    table_as_published,
)
from tests.lab.figures import rows


def made() -> pl.DataFrame:
    """Cells of stand-ins of all four classes."""
    names = ("spring-2017", "fall-2017", "spring-2019", "fall-2019")
    return cells(rows.stand_ins(2, names))


def test_stand_ins_of_all_four_classes_have_the_authors_names() -> None:
    table = table_as_published(made())
    assert table.select(CELL).is_unique().all()
    for taught in ("Spring17", "Fall17", "Spring19", "Fall19"):
        own = table.filter(pl.col("experiment") == f"individual-robustness_{taught}_full")
        # Twelve mechanisms, five strategies, and one as the only x.
        assert own.height == 12 * 5
        assert own["x"].unique().to_list() == [1]
        integrity = table.filter(pl.col("experiment") == f"payments-vs-mse_{taught}_full")
        assert integrity.height == 12 * 4 * 4
        assert integrity["x"].unique().sort().to_list() == [1, 2, 3, 4]
    ends = ("_one-at-a-time", "_paper-model", "_one-at-a-time_paper-model")
    names = set(table["experiment"])
    assert {f"individual-robustness_Fall17_full{end}" for end in ends} < names


def test_the_plain_name_is_for_fitted_stand_ins_in_the_authors_way() -> None:
    renamed = classes_to_published(made())
    table = table_as_published(made())
    key = ["experiment", "mechanism", "strategy", "x", "metric"]
    chosen = renamed.filter(
        pl.col("kind") == GAIN_KIND, pl.col("stand_in") == "fitted", pl.col("way") == "authors"
    )
    both = chosen.join(table, on=key, nulls_equal=True, suffix="_table")
    assert both.height == chosen.height > 0
    assert both["mean"].equals(both["mean_table"], check_names=False)
    # MSE_P is the one that averages twice, as in the authors' script.
    mse_p = chosen.filter(pl.col("mechanism") == "MSE_P: 0")["mechanism_ours"].unique().to_list()
    assert mse_p == ["mse-p:bias=correct,averaging=twice"]


def test_every_published_cell_of_a_real_class_is_compared() -> None:
    theirs = shipped_cells().filter(pl.col("experiment").str.contains("Spring17|Fall19"))
    assert theirs.height == 416 + 170
    compared = class_agreement(made(), shipped_cells())
    once = compared.filter(pl.col("stand_in") == "fitted", pl.col("way") != "alone")
    missing = theirs.join(once, on=list(CELL), how="anti", nulls_equal=True)
    # The made-up rows lack the second setting of MSE_P in E2, and the uncorrected ones in E5.
    parts = missing["experiment"].str.replace("Spring17|Fall19", "*").unique().sort().to_list()
    assert parts == [
        "individual-robustness_*_parametric-bias_correct_false",
        "payments-vs-mse_*_mse-p",
    ]


def table(*pairs: tuple[str, float, float]) -> pl.DataFrame:
    """Compared cells: measure, our mean and theirs."""
    return pl.DataFrame(
        {
            "kind": INTEGRITY_KIND,
            "class": "fall-2019",
            "stand_in": "fitted",
            "way": "",
            "metric": [metric for metric, _, _ in pairs],
            "mean_ours": [ours for _, ours, _ in pairs],
            "mean_theirs": [theirs for _, _, theirs in pairs],
        }
    ).with_columns(difference=pl.col("mean_ours") - pl.col("mean_theirs"))


def test_agreement_is_summarised_by_hand() -> None:
    # An AUC has the sign of its distance from 1/2: 0.6 and 0.4 lie on different sides.
    compared = table(("Binary AUCs", 0.6, 0.4), ("Taus", 0.1, 0.3), ("Taus", -0.3, -0.2))
    one, whole = class_summary(compared)
    assert one.taught == "fall-2019"
    assert whole[:5] == (INTEGRITY_KIND, "", "fitted", "", 3)
    assert whole[5:] == one[5:]
    assert one.rms == pytest.approx(((0.2**2 + 0.2**2 + 0.1**2) / 3) ** 0.5)
    assert one.same_sign == pytest.approx(2 / 3)
    # Deviations from the means 2/15 and 1/6: products sum to 0.2633, squares to 0.4067 and 0.2067.
    assert one.correlation == pytest.approx(0.26333333 / (0.40666667 * 0.20666667) ** 0.5)


def test_published_cells_of_classes_have_our_names() -> None:
    gains = published_of_classes(GAIN_KIND)
    assert gains.height == 2 * 12 * 5
    assert gains.null_count().sum_horizontal().item() == 0
    # The first row of the authors' file of Spring 2017: MSE, Add Noise.
    mse = gains.filter(
        pl.col("class") == "spring-2017", pl.col("variant") == "mse", pl.col("strategy") == "noise"
    )
    assert mse["mean"].item() == pytest.approx(-9.56383)
    assert published_of_classes(INTEGRITY_KIND).height == 2 * 12 * 4 * 4


def test_findings_say_what_the_numbers_say() -> None:
    """Ours are the published numbers in the authors' way, and their negatives one at a time."""
    compared = class_agreement(made(), shipped_cells())
    sign = pl.when(pl.col("way") == "alone").then(-1.0).otherwise(1.0)
    exact = compared.with_columns(mean_ours=sign * pl.col("mean_theirs")).with_columns(
        difference=pl.col("mean_ours") - pl.col("mean_theirs")
    )
    slip, clean, fit = class_findings(exact)
    assert "correlation of 1.00" in slip.text
    assert "but −1.00 one at a time" in slip.text
    assert "(r = 1.00)" in slip.short
    assert "0.46 published, 0.46 in the paper's model, 0.46 fitted" in clean.text
    assert "not identified" in fit.text
    assert class_findings(exact.clear()) == []


def test_the_figure_has_a_panel_for_each_way() -> None:
    drawn = gains_against_published(rows.stand_ins(2))
    texts = [text.get_text() for axis in drawn.axes for text in axis.texts]
    assert len(drawn.axes) == len(texts) == 2
    assert all(text.startswith("r = ") for text in texts)
