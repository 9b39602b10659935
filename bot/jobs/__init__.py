"""Durable background work: one small port, engines behind it."""

from bot.jobs.embedded import EmbeddedJobs
from bot.jobs.port import GaveUp, Handler, Job, JobEngine, OnFailed

__all__ = ["EmbeddedJobs", "GaveUp", "Handler", "Job", "JobEngine", "OnFailed"]
