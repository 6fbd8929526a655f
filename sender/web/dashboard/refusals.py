"""What is refused, in the words of the page: a sentence for each usual code, with the API's own English behind it.

The detail of a refusal names what exactly, and comes from the API as it is; so on an English page it says enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.errors import SimError
    from sender.web.dashboard.language import Language

_NOT_THERE = "There is no such thing, or not any more."
_WRONG_FIELD = "A field is not filled in as it must be."

SENTENCES: Mapping[str, str] = {
    "attempt_not_found": _NOT_THERE,
    "bad_duration": "A duration needs a number and a unit, as in 1h30m.",
    "bad_request": "This cannot be carried out.",
    "body_too_large": "What was sent is too large.",
    "conflict": "The present state does not allow it.",
    "delivery_cancelled": "The endpoint of this event was deleted; there is nobody to send it to.",
    "delivery_in_flight": "An attempt is under way; try again when it is recorded.",
    "deposit_not_found": _NOT_THERE,
    "endpoint_deleted": "This endpoint was deleted.",
    "endpoint_exists": "This URL is subscribed already.",
    "endpoint_limit": "There are as many endpoints as may be.",
    "endpoint_not_found": _NOT_THERE,
    "event_not_found": "There is no such event: a reset has cleared it, or the id is mistyped.",
    "fault_not_found": "This fault is not armed any more: it has struck, or was taken back.",
    "field_invalid": _WRONG_FIELD,
    "field_invalid_amount": "The amount is not a number as it must be, such as 100.00.",
    "field_required": "A field that is needed is empty.",
    "field_unknown": "There is a field too many.",
    "file_refused": "The document has errors.",
    "forbidden": "That is not allowed here.",
    "invoice_idempotency_conflict": "There is another invoice for this order already.",
    "invoice_is_final": "The status of the invoice is final; nothing more can happen to it.",
    "invoice_not_found": "There is no such invoice: a reset has cleared it, or the id is mistyped.",
    "not_available": "Something that is needed is not there.",
    "not_found": _NOT_THERE,
    "not_sandbox": "Only sandbox invoices can be driven by hand.",
    "origin_refused": "The request came from another site.",
    "page_token_required": "The page is older than this start of the simulator; reload it.",
    "project_not_found": "There is no such project.",
    "run_not_found": "This run is not remembered any more.",
    "stage_already_reached": "The invoice is there already.",
    "store_unavailable": "The database does not answer; try again.",
    "story_not_found": "There is no such story.",
    "too_many_runs": "As many runs as may go on are under way; wait for one, or stop it.",
    "unsupported_media_type": "The form came in a shape that is not taken.",
    "usage": "What was given cannot be used as it is written.",
    "validation_failed": "Some fields are not filled in as they must be.",
}


class Complaint(NamedTuple):
    """A refusal as a page shows it: a sentence of its own, and the API's detail with the field that it is about."""

    says: str
    detail: str


def complaint(error: SimError, language: Language) -> Complaint:
    """Return a refusal as a page in this language shows it; the sentence is in English still, and then translated."""
    detail = detail_of(error)
    code: str = getattr(error, "reason_code", error.code)
    sentence = SENTENCES.get(code) or SENTENCES.get(error.code)
    return Complaint(detail, "") if language == "en" or sentence is None else Complaint(sentence, detail)


def detail_of(error: SimError) -> str:
    """Return every flaw with its field."""
    flaws: Any = getattr(error, "flaws", ())
    told = "; ".join(f"{flaw.field}: {flaw.message}" for flaw in flaws)
    field = getattr(error, "field", None)
    return told or (f"{field}: {error}" if field else str(error))
