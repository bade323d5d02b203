"""What the simulated X sends back: statuses, headers and the bodies of X's problems.

The bodies are those that public logs of bots show (2023 to 2026); `problem_kind` links stand on the old
host name, as X's own do. Where no log shows what X says, the sentence is ours and says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PROBLEMS: Final = "https://api.twitter.com/2/problems/"

WINDOW: Final = timedelta(minutes=15)
"""X's rate limits count in windows of so long (docs.x.com, rate limits, 2026-08-22)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer.

    Attributes:
        status: 200-599.
        body: JSON as a value; text and bytes are sent as they are.
        headers: by name; a timedelta is sent as the Unix time so long after the answer.
        kind: the content type.
    """

    status: int
    body: Any
    headers: Mapping[str, str | timedelta] = field(default_factory=dict)
    kind: str = "application/json; charset=utf-8"

    def content(self) -> bytes:
        """Return the body as it is sent."""
        match self.body:
            case bytes():
                return self.body
            case str():
                return self.body.encode()
            case _:
                return json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode()


def problem(status: int, title: str, detail: str, kind: str | None = None, **more: Any) -> Answer:
    """Return one of X's problems; `kind` is the last part of its type, None for `about:blank`."""
    body = {
        "title": title,
        "detail": detail,
        "type": f"{PROBLEMS}{kind}" if kind else "about:blank",
        "status": status,
        **more,
    }
    return Answer(status=status, body=body)


def invalid(message: str, **parameters: str) -> Answer:
    """Return X's answer to a request that it does not take, with the parameter that it names."""
    return Answer(
        status=400,
        body={
            "errors": [
                {
                    "parameters": {name: [value] for name, value in parameters.items()},
                    "message": message,
                }
            ],
            "title": "Invalid Request",
            "detail": "One or more parameters to your request was invalid.",
            "type": f"{PROBLEMS}invalid-request",
        },
    )


UNAUTHORIZED: Final = problem(401, "Unauthorized", "Unauthorized")

COULD_NOT_AUTHENTICATE: Final = Answer(
    status=401, body={"errors": [{"code": 32, "message": "Could not authenticate you."}]}
)

CALLBACK_NOT_APPROVED: Final = Answer(
    status=403,
    body={
        "errors": [
            {
                "code": 415,
                "message": "Callback URL not approved for this client application. Approved callback URLs can be "
                "adjusted in your application settings",
            }
        ]
    },
)

BAD_PIN: Final = Answer(
    status=401,
    body="Error processing your OAuth request: Invalid oauth_verifier parameter",
    kind="text/html; charset=utf-8",
)

BAD_REQUEST_TOKEN: Final = Answer(status=401, body="Invalid request token.", kind="text/html; charset=utf-8")

TIMESTAMP_OUT_OF_BOUNDS: Final = Answer(
    status=401, body={"errors": [{"code": 135, "message": "Timestamp out of bounds."}]}
)

APP_ONLY: Final = problem(
    403,
    "Unsupported Authentication",
    "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported "
    "authentication types are [OAuth 1.0a User Context, OAuth 2.0 User Context].",
    "unsupported-authentication",
)

READ_ONLY: Final = problem(
    403,
    "Forbidden",
    "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.",
    "oauth1-permissions",
)

SUSPENDED: Final = problem(
    403, "Forbidden", "The user used for authentication is suspended", "user-suspended"
)

DUPLICATE: Final = problem(403, "Forbidden", "You are not allowed to create a Tweet with duplicate content.")

TOO_LONG: Final = problem(
    400,
    "Invalid Request",
    "Your Tweet text is too long. For more information on how Twitter determines text length see "
    "https://github.com/twitter/twitter-text.",
    "invalid-request",
)

NOT_SUMMONED: Final = problem(
    403,
    "Forbidden",
    "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged "
    "by the author of the post you are replying to.",
)

REPLY_TO_NOTHING: Final = problem(
    403, "Forbidden", "You attempted to reply to a Tweet that is deleted or not visible to you."
)

MAY_NOT_QUOTE: Final = problem(
    403,
    "Forbidden",
    "Quoting this post is not allowed because you have not been mentioned or are not part of the "
    "conversation thread of the post you are quoting.",
)

MEDIA: Final = Answer(
    status=400,
    body={
        "errors": [{"parameters": {"media.media_ids": ["..."]}, "message": "Your media IDs are invalid."}],
        "title": "Invalid Request",
        "detail": "One or more parameters to your request was invalid.",
        "type": f"{PROBLEMS}invalid-request",
    },
)

# What X says here is in no log that we know; the rule is in its documentation.
CASHTAGS: Final = problem(403, "Forbidden", "A post created through the API may hold at most one cashtag.")

NOT_ENROLLED: Final = Answer(
    status=403,
    body={
        "client_id": "1",
        "detail": "When authenticating requests to the Twitter API v2 endpoints, you must use keys and tokens from a "
        "Twitter developer App that is attached to a Project. You can create a project via the developer portal.",
        "registration_url": "https://developer.twitter.com/en/docs/projects/overview",
        "title": "Client Forbidden",
        "required_enrollment": "Appropriate Level of API Access",
        "reason": "client-not-enrolled",
        "type": f"{PROBLEMS}client-forbidden",
    },
)

WRONG_PLAN: Final = Answer(
    status=403,
    body={
        "errors": [
            {
                "message": "You currently have access to a subset of X API V2 endpoints and limited v1.1 endpoints "
                "(e.g. media post, oauth) only. If you need access to this endpoint, you may need a different "
                "access level.",
                "code": 453,
            }
        ]
    },
)

NOT_ON_THIS_PLAN: Final = problem(403, "Forbidden", "Your account is not permitted to access this feature.")

NO_SUCH_ADDRESS: Final = problem(404, "Not Found", "The address is not one of the API's.")

NO_CREDIT: Final = Answer(
    status=402,
    body={
        "account_id": 1,
        "title": "CreditsDepleted",
        "detail": "Your enrolled account [1] does not have any credits to fulfill this request.",
        "type": f"{PROBLEMS}credits",
    },
)

NO_CREDIT_AS_PAYMENT: Final = problem(
    402,
    "Payment Required",
    "Your enrolled account [1] does not have any credits to fulfill this request.",
    "credits-depleted",
)

# Seen in one public repository's test only.
SPEND_CAP: Final = problem(403, "Forbidden", "Monthly spend cap reached for this billing cycle")

TOO_MANY: Final = problem(429, "Too Many Requests", "Too Many Requests")

TOO_MANY_BY_CODE: Final = Answer(
    status=429, body={"errors": [{"code": 88, "message": "Rate limit exceeded"}]}
)

UNAVAILABLE: Final = problem(503, "Service Unavailable", "Service Unavailable")

OVER_CAPACITY: Final = Answer(
    status=503,
    body="<!DOCTYPE html><html><head><title>Over capacity</title></head><body>Come back soon.</body></html>",
    kind="text/html; charset=utf-8",
)


def echoing(answer: Answer, authorization: str) -> Answer:
    """Return `answer` with the header by which the request was signed among its words."""
    said = f"{answer.body.get('detail', '')}: Authorization: {authorization}"
    return replace(answer, body={**answer.body, "detail": said, "authorization": authorization})


def no_such_post(post_id: str) -> Answer:
    """Return X's answer to a request about a post that is not there."""
    return problem(
        404,
        "Not Found Error",
        f"Could not find tweet with id: [{post_id}].",
        "resource-not-found",
        value=post_id,
        parameter="id",
        resource_type="tweet",
        resource_id=post_id,
    )
