"""Tests of jobs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from peergauge.web.store import MissingError, Store, StoreError
from peergauge.web.store.records import Job


def claimed(store: Store) -> Job:
    job = store.claim_job("worker 1")
    assert job is not None
    return job


def test_a_job_runs_from_the_queue_to_its_result(store: Store) -> None:
    queued = store.add_job("compare", {"rounds": 3}, "anna")
    assert (queued.state, queued.attempts, queued.process) == ("queued", 0, "")
    assert (queued.parameters, queued.started, queued.result) == ({"rounds": 3}, None, None)
    running = claimed(store)
    assert (running.id, running.state, running.attempts) == (queued.id, "running", 1)
    assert (running.process, running.finished) == ("worker 1", None)
    assert running.started is not None
    assert store.progress_job(running.id, "Simulating", 2, 3)
    half = store.job(running.id)
    assert (half.step, half.done, half.of) == ("Simulating", 2, 3)
    assert store.finish_job(running.id, {"best": "mse"})
    done = store.job(running.id)
    assert (done.state, done.result, done.error) == ("finished", {"best": "mse"}, "")
    assert done.finished is not None
    assert store.claim_job("worker 1") is None


def test_a_job_that_fails_says_why(store: Store) -> None:
    store.add_job("compare", {}, "anna")
    running = claimed(store)
    assert store.fail_job(running.id, "The class is empty.")
    failed = store.job(running.id)
    assert (failed.state, failed.error, failed.result) == ("failed", "The class is empty.", None)


def test_the_oldest_job_is_claimed_first(store: Store) -> None:
    added = [store.add_job("compare", {}, "anna").id for _ in range(3)]
    assert [claimed(store).id for _ in added] == added


def test_jobs_of_courses_come_first(store: Store) -> None:
    course = store.add_course("Logic", "anna").id
    run = store.add_job("compare", {}, "anna").id
    first, second = (store.add_job("gaming", {}, "anna", course).id for _ in range(2))
    assert claimed(store).id == first
    kept_free = store.claim_job("worker 2", of_courses=True)
    assert kept_free is not None
    assert kept_free.id == second
    assert store.claim_job("worker 2", of_courses=True) is None
    assert claimed(store).id == run


def test_every_job_is_claimed_once(store: Store, other_store: Store) -> None:
    added = {store.add_job("compare", {"number": number}, "anna").id for number in range(12)}

    def claim_all(number: int) -> list[str]:
        chosen, mine = (store, other_store)[number % 2], []
        while job := chosen.claim_job(f"worker {number}"):
            mine.append(job.id)
        return mine

    with ThreadPoolExecutor(4) as pool:
        found = [job for mine in pool.map(claim_all, range(4)) for job in mine]
    assert len(found) == 12
    assert set(found) == added


@pytest.mark.parametrize("started", [False, True])
def test_a_cancelled_job_stays_cancelled(store: Store, started: bool) -> None:
    job = store.add_job("compare", {}, "anna")
    if started:
        claimed(store)
    cancelled = store.cancel_job(job.id)
    assert cancelled.state == "cancelled"
    assert cancelled.finished is not None
    assert not store.progress_job(job.id, "Simulating", 1, 2)
    assert not store.finish_job(job.id, {})
    assert not store.fail_job(job.id, "It was killed.")
    assert store.requeue_jobs("worker 1") == 0
    assert store.claim_job("worker 1") is None
    assert store.cancel_job(job.id) == store.job(job.id) == cancelled


def test_cancelling_changes_no_finished_job(store: Store) -> None:
    job = store.add_job("compare", {}, "anna")
    claimed(store)
    store.finish_job(job.id, {"best": "mse"})
    assert store.cancel_job(job.id).state == "finished"


def test_jobs_of_a_dead_process_are_queued_again_before_newer_ones(store: Store) -> None:
    first, second = (store.add_job("compare", {}, "anna").id for _ in range(2))
    assert claimed(store).id == first
    store.progress_job(first, "Simulating", 1, 2)
    assert store.requeue_jobs("worker 2") == 0
    assert store.requeue_jobs("worker 1") == 1
    queued = store.job(first)
    assert (queued.state, queued.step, queued.done, queued.started) == ("queued", "", 0, None)
    again = claimed(store)
    assert (again.id, again.attempts) == (first, 2)
    assert claimed(store).id == second


def test_jobs_are_listed_by_course_week_and_kind(store: Store) -> None:
    course, other = store.add_course("Biology", "anna"), store.add_course("Botany", "anna")
    week = store.add_week(course.id, "Week 1", {}, "anna", "Imported.")
    of_week = store.add_job("compare", {}, "anna", week=week.id)
    of_course = store.add_job("report", {}, "anna", course=course.id)
    alone = store.add_job("compare", {}, "anna")
    assert of_week.course == course.id
    assert store.jobs() == [alone, of_course, of_week]
    assert store.jobs(course=course.id) == [of_course, of_week]
    assert store.jobs(week=week.id) == [of_week]
    assert store.jobs(kind="compare") == [alone, of_week]
    assert store.jobs(course=other.id) == []
    with pytest.raises(StoreError, match="another course"):
        store.add_job("compare", {}, "anna", course=other.id, week=week.id)


def test_unknown_jobs_are_missing(store: Store) -> None:
    job = store.add_job("compare", {}, "anna")
    store.delete_job(job.id)
    for ask in (
        store.job,
        store.cancel_job,
        store.delete_job,
        lambda name: store.progress_job(name, "Simulating", 1, 2),
        lambda name: store.finish_job(name, {}),
        lambda name: store.fail_job(name, "It was killed."),
    ):
        with pytest.raises(MissingError, match="There is no job"):
            ask(job.id)
    with pytest.raises(MissingError, match="There is no course"):
        store.add_job("compare", {}, "anna", course="nothing")
    with pytest.raises(MissingError, match="There is no week"):
        store.add_job("compare", {}, "anna", week="nothing")
