/** Introduction of the OpenAPI document, in Markdown. */
export const INTRODUCTION = `
Data lives in workspaces. A workspace holds datagrids: sheets with typed columns. A datagrid holds
rows. Everything is JSON in UTF-8, times are UTC by [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339)
with milliseconds.

## Authentication
Send your API key with every request: \`Authorization: Bearer mk_…\`
([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)). Create keys in the console (your profile, "API
keys"), or have an operator create them at the command line; this API does not create them. A key is
shown once, and does what its owner's role allows at the moment: \`viewer\` reads; \`editor\` also
writes rows; \`admin\` also writes workspaces, datagrids and columns; \`owner\` also manages users. A key
belongs on a server, never in a browser or an app.

## Answers
One object comes as \`{ "data": {…} }\`, a list as \`{ "data": […], "meta": {…} }\`, a failure as
\`{ "error": {…} }\`. A 204 has no body. New members may be added to answers: ignore what you do not
know.

## Values
A row's \`values\` are keyed by column. What a column's type does not hold is 400: nothing is dropped,
cut or rounded. \`null\` and an absent member both mean no value.

| type | in JSON |
|---|---|
| \`text\` | a string, kept as it is |
| \`integer\` | a whole number, within 2^53 - 1 of zero |
| \`number\` | a number whose digits come back from a double |
| \`decimal\` | a string such as \`"12.50"\`, kept as sent: up to 38 digits, 18 after the point |
| \`boolean\` | \`true\` or \`false\` |
| \`date\` | \`"2024-02-29"\` |
| \`datetime\` | an RFC 3339 time with any offset, given back in UTC with milliseconds; a finer fraction is refused |
| \`select\` | one of the column's choices |
| \`multiSelect\` | an array of the column's choices, each at most once |
| \`email\` | one address, of up to 320 characters |
| \`url\` | an http or https URL, of up to 8,192 characters |
| \`json\` | any JSON |

## Paging
Lists take \`page\` (from 1) and \`limit\` (1 to 200, 20 where absent); anything else is 400, never
cut to fit. A page past the end is empty. \`meta.total\` is exact, and of the same moment as the page.
The \`Link\` header ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)) leads to the first, previous,
next and last page.

## Versions of things
Answers carry an \`ETag\`. Sent back in \`If-None-Match\`
([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match)), it is answered by 304 without
a body where nothing has changed. Sent in \`If-Match\` with a change or a deletion, it is answered by
412 where somebody else was quicker, and nothing changes: no update is lost. A datagrid's ETag is of its
name, description and columns; rows do not move it.

Reads of datagrids and rows may be answered by a replica where the request allows a stale answer by
\`Cache-Control: max-stale=seconds\` ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.2));
the answer then has \`Age\`. Without it every answer is of this moment.

## Compression
Large answers to GET are compressed where \`Accept-Encoding\` asks for \`gzip\`, \`br\` or, on some
instances, \`zstd\`. The ETag of such an answer ends in the coding's name, and is used like any other;
an export's is weak instead. Answers to POST are never compressed.

## Sending again
A change whose answer got lost may have been made. Send it with an \`Idempotency-Key\` of your making,
such as a UUID, and send the very same request again with the same key: it is made once, and you get the
first answer with \`Idempotent-Replayed: true\`. Answers are kept for 24 hours; of failures, 409 and 412.

## Errors
\`error.code\` is from a closed list and safe to branch on; \`error.message\` is for people;
\`error.details\` names each place that is wrong; \`error.requestId\` is what to report. What belongs to
another account is 404, as what never was. Besides the answers listed with each route, the protocol
has its own: \`method_not_allowed\` 405 with \`Allow\`, \`request_timeout\` 408, \`expectation_failed\`
417, \`headers_too_large\` 431.

## Limits
Each key may send so many requests in a window, over all routes together; \`RateLimit\` and
\`RateLimit-Policy\` ([draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/))
say how many are left. An account has a limit of its own, over all its keys and users, and a share of
what an instance does at a time, so that no account slows another down. Requests without a key are
limited by client address, which does not touch valid keys from there. Past a limit, the answer is 429:
wait for \`Retry-After\` seconds, then try with growing pauses, never at once.

## Versions
The version is part of the path. v1 changes only by addition. A route or member that is to go away is
announced by the headers \`Deprecation\` ([RFC 9745](https://www.rfc-editor.org/rfc/rfc9745)) and
\`Sunset\` ([RFC 8594](https://www.rfc-editor.org/rfc/rfc8594)).
`.trim();
