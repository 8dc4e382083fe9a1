"""Pay for reviews that were assigned and not done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.tables import Rewards, frozen


def with_undone(rewards: Rewards) -> Rewards:
    r"""The rewards, in which each review that was not done is paid like the worst report.

    The reward of an undone review is the lowest reward of a single report of its assignment, and
    at most 0. It is added to rewards that are sums over reports, and averaged with those that are
    means. Rewards without parts, such as correlations, become the mean over all assigned reviews of
    the amount (for reviews that were done) and of the lowest amount of the assignment (for those
    that were not). No honest report earns less than the lowest one, so nobody gains by leaving out
    a review, whatever their accuracy; and a grader who did nothing in an assignment is paid for
    what they left out instead of not at all. In an assignment in which nothing can be paid, nothing
    is.

    Totals that judge all reports as one (``whole``) become, after each assignment, the mean of the
    total, weighted by the share of assigned reviews that were done so far, and of the lowest total
    of the class, weighted by the rest. A mechanism with a better rule of its own declares
    ``undone="own"``.
    """
    undone = rewards.reports.undone
    if undone is None:
        return rewards
    if rewards.whole:
        return _with_undone_in_total(rewards, undone)
    single = rewards.each
    rate = _lowest(rewards.amount if single is None else _by_assignment(rewards, single))
    known = ~np.isnan(rate)[:, None] & (undone > 0)
    done = rewards.reports.done
    amount = np.nan_to_num(rewards.amount)
    own_weight = np.ones_like(amount)
    due = undone * np.nan_to_num(rate)[:, None]
    if single is None or rewards.averaged:
        every = np.maximum(done + undone, 1)
        own_weight, due = done / every, due / every
    due = np.where(known, due, 0.0)
    own_weight = np.where(known, own_weight, 1.0)
    part = rewards.part
    if part is not None:
        part = frozen(part * rewards.reports.of_graders(own_weight))
    return replace(
        rewards,
        amount=np.where(known, own_weight * amount + due, rewards.amount),
        part=part,
        single=single if rewards.averaged else rewards.single,
        mean_so_far=_mean_so_far(rewards, np.where(known, undone, 0), rate),
        for_undone=due,
        undone_rate=rate,
    )


def _with_undone_in_total(rewards: Rewards, undone: Ints) -> Rewards:
    """The rewards of a mechanism whose totals judge all reports as one."""
    total = rewards.running
    done, owed = np.cumsum(rewards.reports.done, axis=0), np.cumsum(undone, axis=0)
    known = np.isfinite(total)
    least = np.where(known, total, np.inf).min(axis=1, initial=np.inf)[:, None]
    least = np.where(np.isinf(least), np.nan, least)
    share = owed / np.maximum(done + owed, 1)
    changed = (1 - share) * np.where(np.isnan(total), least, total) + share * least
    changed = np.where(owed > 0, changed, total)
    before = np.vstack([np.zeros(changed.shape[1]), np.nan_to_num(changed[:-1])])
    amount = changed - before
    due = np.where(owed > 0, np.nan_to_num(amount) - np.nan_to_num(rewards.amount), 0.0)
    return replace(rewards, amount=amount, for_undone=due)


def _mean_so_far(rewards: Rewards, undone: Floats, rate: Floats) -> Floats | None:
    """The mean reward per assigned review, if the mechanism gives means of its own."""
    if rewards.mean_so_far is None:
        return None
    done = np.cumsum(rewards.reports.done, axis=0)
    owed = np.cumsum(undone, axis=0)
    due = np.cumsum(undone * np.nan_to_num(rate)[:, None], axis=0)
    total = done * np.nan_to_num(rewards.mean_so_far) + due
    mean = np.array(rewards.mean_so_far)
    return np.divide(total, done + owed, out=mean, where=owed > 0)


def _lowest(values: Floats) -> Floats:
    """The lowest finite value of each row, and at most 0; NaN for a row without any."""
    known = np.isfinite(values)
    least = np.where(known, values, np.inf).min(axis=1, initial=np.inf)
    return np.where(known.any(axis=1), np.minimum(least, 0.0), np.nan)


def _by_assignment(rewards: Rewards, single: Floats) -> Floats:
    """The lowest reward of a single report of each grader in each assignment; NaN without any."""
    reports = rewards.reports
    found = np.full(rewards.amount.size, np.inf)
    place = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    known = ~np.isnan(single)
    np.minimum.at(found, place[known], single[known])
    return np.where(np.isinf(found), np.nan, found).reshape(rewards.amount.shape)
