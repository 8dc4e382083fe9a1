"""Jobs, in the database."""

# ruff: noqa: A001, A002 - identifiers are called id, as in the records.

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select, update

from peergauge.web.store.courses import keep_course, keep_course_of
from peergauge.web.store.database import Database
from peergauge.web.store.errors import MissingError, StoreError
from peergauge.web.store.records import Job, new_id, now
from peergauge.web.store.schema import courses, jobs, weeks

_job_columns = (
    jobs.c.id,
    jobs.c.kind,
    jobs.c.parameters,
    jobs.c.state,
    jobs.c.step,
    jobs.c.done,
    jobs.c.total,
    jobs.c.who,
    jobs.c.course,
    jobs.c.week,
    jobs.c.created,
    jobs.c.started,
    jobs.c.finished,
    jobs.c.result,
    jobs.c.error,
    jobs.c.attempts,
    jobs.c.process,
)


class Jobs(Database):
    """The part of the database with jobs."""

    def add_job(
        self,
        kind: str,
        parameters: dict[str, Any],
        who: str,
        course: str | None = None,
        week: str | None = None,
    ) -> Job:
        """Add a job to the queue.

        Parameters
        ----------
        kind
            Kind of the job, which says what to do.
        parameters
            Parameters of the work.
        who
            Name of the person who asked for the work.
        course
            Identifier of the course that the job belongs to; a job is deleted with its course.
        week
            Identifier of the week that the job belongs to; it decides the course if none is given.
        """
        id = new_id()
        with self._writing() as connection:
            if week is not None:
                [owner] = self._one(connection, keep_course_of(week), "week", week)
                if course not in {None, owner}:
                    raise StoreError("The week belongs to another course; give its own course.")
                course = owner
            elif course is not None:
                self._one(connection, keep_course(course), "course", course)
            values = {"id": id, "kind": kind, "parameters": parameters, "who": who}
            blank = {"step": "", "done": 0, "total": 0, "error": "", "attempts": 0, "process": ""}
            placed = {"course": course, "week": week, "state": "queued", "created": now()}
            connection.execute(insert(jobs).values(**values, **placed, **blank))
            return self._job(connection, id)

    def job(self, id: str) -> Job:
        """The job with an identifier."""
        with self._reading() as connection:
            return self._job(connection, id)

    def jobs(
        self, course: str | None = None, week: str | None = None, kind: str | None = None
    ) -> list[Job]:
        """All jobs, or those of a course, of a week or of a kind, the newest first."""
        query: Select[*tuple[Any, ...]] = select(*_job_columns).order_by(jobs.c.serial.desc())
        with self._reading() as connection:
            if course is not None:
                known = select(courses.c.id).where(courses.c.id == course)
                self._one(connection, known, "course", course)
                query = query.where(jobs.c.course == course)
            if week is not None:
                self._one(connection, select(weeks.c.id).where(weeks.c.id == week), "week", week)
                query = query.where(jobs.c.week == week)
            if kind is not None:
                query = query.where(jobs.c.kind == kind)
            return [Job(*row) for row in connection.execute(query)]

    def claim_job(self, process: str, *, of_courses: bool = False) -> Job | None:
        """Start the next queued job in a process; None if no job is queued.

        Jobs of courses come first, and then the oldest ones. Several processes may claim jobs at
        the same time: each job goes to one of them.

        Parameters
        ----------
        process
            Name of the process.
        of_courses
            Whether only jobs of courses are started.
        """
        queued = select(jobs.c.id).where(jobs.c.state == "queued")
        if of_courses:
            queued = queued.where(jobs.c.course.is_not(None))
        oldest = queued.order_by(jobs.c.course.is_(None), jobs.c.serial).limit(1)
        with self._writing() as connection:
            id = connection.execute(oldest.with_for_update(skip_locked=True)).scalar()
            if id is None:
                return None
            change = update(jobs).where(jobs.c.id == id)
            started = {"state": "running", "started": now(), "process": process}
            connection.execute(change.values(attempts=jobs.c.attempts + 1, **started))
            return self._job(connection, id)

    def progress_job(self, id: str, step: str, done: int, of: int) -> bool:
        """Record the progress of a running job.

        Parameters
        ----------
        id
            Identifier of the job.
        step
            What the job does at present.
        done
            Parts of the step that are done.
        of
            Parts of the step altogether.

        Returns
        -------
        bool
            False if the job is not running any more, for example because it was cancelled.
        """
        return self._change_running(id, step=step, done=done, total=of)

    def finish_job(self, id: str, result: dict[str, Any]) -> bool:
        """Record the result of a running job; False if it is not running any more."""
        return self._change_running(id, state="finished", finished=now(), result=result)

    def fail_job(self, id: str, error: str) -> bool:
        """Record why a running job failed; False if it is not running any more."""
        return self._change_running(id, state="failed", finished=now(), error=error)

    def cancel_job(self, id: str) -> Job:
        """Cancel a queued or running job; jobs in other states stay as they are."""
        active = jobs.c.state.in_(["queued", "running"])
        with self._writing() as connection:
            change = update(jobs).where(jobs.c.id == id, active)
            connection.execute(change.values(state="cancelled", finished=now()))
            return self._job(connection, id)

    def requeue_jobs(self, process: str) -> int:
        """Queue the running jobs of a process again, and return how many there were."""
        mine = (jobs.c.process == process, jobs.c.state == "running")
        blank = {"state": "queued", "step": "", "done": 0, "total": 0, "started": None}
        with self._writing() as connection:
            return connection.execute(update(jobs).where(*mine).values(**blank)).rowcount

    def delete_job(self, id: str) -> None:
        """Delete a job."""
        with self._writing() as connection:
            if not connection.execute(delete(jobs).where(jobs.c.id == id)).rowcount:
                raise MissingError("job", id)
        self._erase_deleted()

    def _change_running(self, id: str, **values: Any) -> bool:
        with self._writing() as connection:
            change = update(jobs).where(jobs.c.id == id, jobs.c.state == "running")
            if connection.execute(change.values(**values)).rowcount:
                return True
            self._job(connection, id)
            return False

    def _job(self, connection: Connection, id: str) -> Job:
        return Job(*self._one(connection, select(*_job_columns).where(jobs.c.id == id), "job", id))
