"""The mechanisms of the paper, with the settings behind the authors' published files."""

from __future__ import annotations

from peergauge.mechanisms import mechanisms

DIVERGENCES = ("tvd", "kl", "chi2", "h2")

# Where the authors' computation differs from the text, their setting is named.
PHI_DIV = tuple(f"phi-div:divergence={one},unseen=int64" for one in DIVERGENCES)
OA, PTS = "oa:prize=11", "pts:counting=per-peer"
NON_PARAMETRIC = ("mse", OA, PTS, "dmi", *PHI_DIV)


def phi_div_p(bias: str) -> tuple[str, ...]:
    """Φ-Div_P with one way of treating bias."""
    return tuple(f"phi-div-p:bias={bias},divergence={one}" for one in DIVERGENCES)


def parametric(bias: str) -> tuple[str, ...]:
    """MSE_P and Φ-Div_P, all with one way of treating bias."""
    return (f"mse-p:bias={bias}", *phi_div_p(bias))


def body(bias: str) -> tuple[str, ...]:
    """The thirteen mechanisms of the paper's body."""
    return (*NON_PARAMETRIC, *parametric(bias))


def for_any_class(bias: str) -> tuple[str, ...]:
    """Those of them that need no clusters, for classes as they are."""
    return tuple(spec for spec in body(bias) if mechanisms.make(spec).facts.design != "clusters")


def novel(bias: str) -> tuple[str, ...]:
    """The novel mechanisms as the text defines them."""
    star = (f"phi-div-p-star:bias={bias},divergence={one}" for one in DIVERGENCES)
    return (*(f"{name}:bias={bias}" for name in ("amse-p", "corr", "mcc", "r2", "loo")), *star)


def novel_as_published(bias: str) -> tuple[str, ...]:
    """Those of them that were computed otherwise, by the settings that give the same numbers.

    The authors published neither their code nor their settings; these were found by trying.
    """
    star = (f"phi-div-p-star:bias={bias},divergence={one},truth_noise=2.1" for one in DIVERGENCES)
    return (f"corr:bias={bias},undefined=semester", f"r2:around=prior,bias={bias}", *star)
