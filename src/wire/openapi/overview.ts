import type { AccountLimits } from '../../domain/people/account.ts';
import { SEARCHED_BODY_BYTES } from '../../domain/ping/keyword-filter.ts';
import { MAX_LISTED_PINGS } from '../../domain/ping/ping.ts';
import type { V3Flips } from '../api/flips.ts';

export interface OverviewOptions {
  readonly rateLimitPerMinute: number;
  readonly rateBurst: number;
  readonly v3Flips: V3Flips;
  /** Limits of a new account. */
  readonly accountLimits: AccountLimits;
  /** The number of bytes of a body that are kept. Null: the first 10 MiB. */
  readonly pingBodyLimit: number | null;
}

/** The introduction of the API reference, with the limits of this instance. */
export function overview(options: OverviewOptions): string {
  const { rateLimitPerMinute, rateBurst, v3Flips, accountLimits, pingBodyLimit } = options;
  return `Tocsin watches jobs that should run on time. Each job is a **check**; it reports by **pings** to the check's
\`ping_url\`. A check is **Simple** (a ping is expected every \`timeout\` seconds) or follows a **schedule** (a cron or
systemd OnCalendar expression, in the time zone \`tz\`). When a ping is more than \`grace\` seconds late, the check goes
down, and its integrations are notified. Every change of status is a **flip**.

# Keys

Every project has keys of its own; send one in the header \`X-Api-Key\`. A POST that changes something may instead carry
it as the field \`api_key\` of its JSON body. A **read-write** key opens every operation. A **read-only** key opens
those that only show, without what would allow pinging: check objects then lack \`uuid\`, \`ping_url\`, \`update_url\`,
\`pause_url\`, \`resume_url\` and \`channels\`, and have \`unique_key\` instead.

Keys may expire and be revoked; they are refused as wrong ones from the next request on.

# Tokens

A **token of an account** acts for a person, within the scopes that it was made for and the role that the person has in a
project at that moment. Send it in \`X-Api-Key\` or as \`Authorization: Bearer hct_…\`. Below \`/api/v3/projects/\`
the address names the project. All other operations that take a key take a token, too, with the UUID of the project in the
header \`X-Project\`. A scope is the name of a permission: \`checks.view\`, \`checks.view_addresses\` (the \`uuid\` and
\`ping_url\` of checks), \`checks.edit\`, \`pings.view\`, \`deliveries.view\`, \`channels.view\`, \`channels.edit\`,
\`channels.test\`, \`project.view\`, \`project.edit\`, \`project.delete\`, \`keys.edit\`, \`members.view\`,
\`members.edit\`, \`projects.view\`, \`projects.edit\` and others. None includes another one: changing a check also needs
\`checks.view\`.

# Requests and answers

Bodies of requests are JSON objects in UTF-8, under whatever content type; an empty body is an empty object. Lengths
count Unicode characters. Times are ISO 8601 in UTC, as \`2026-03-24T14:02:03+00:00\`. Any page of any origin may
call the operations that take an API key (CORS).

A path that ends in a slash answers 301 without it. A method that an address does not have answers 405.

# Errors

Every refusal carries \`{"error": "…"}\`, with a few words that say why.

| Code | Meaning |
|---|---|
| 400 | The body, a field in it, or a query parameter is not valid; a token came without \`X-Project\` |
| 401 | The API key or token is missing or wrong |
| 403 | The check belongs to another project; on create, a limit is reached; a token does not include this; a key or a token would write a shell command, which only people do |
| 404 | There is no such check, ping, body or project, or no such address |
| 405 | The address does not have this method |
| 409 | The check is not paused |
| 429 | The project, or the account of the token, has sent too many requests, or your address too many without a valid key: try again after \`Retry-After\` seconds |
| 500 | A fault of the service |
| 503 | The database or the object storage cannot be reached, or too much is under way: try again after \`Retry-After\` seconds |

# Limits

| Limit | Value |
|---|---|
| Requests of a project, with all its keys; of an account, with all its tokens | ${rateOf(rateLimitPerMinute, rateBurst)} |
| Body of a request | 2621440 bytes; 65536 where the key is in it instead of in the header |
| Checks of an account | ${accountLimits.checks}, unless the operator of the instance has set another number for the account |
| \`timeout\`, \`grace\` | 60 to 31536000 seconds (365 days) |
| Pings kept of a check | the last ${accountLimits.pings}, unless the operator has set another number for the account |
| Pings listed | those that are kept, and at most ${MAX_LISTED_PINGS} |
| Body of a ping kept | ${pingBodyLimit === null ? 'its first 10 MiB' : `its first ${pingBodyLimit} bytes`} |
| Body of a ping searched for keywords and numbers | its first ${SEARCHED_BODY_BYTES} bytes |
| Flips listed | those of the current month and of the two full months before it |

# Versions

This document describes **v3**. The same addresses exist under \`/api/v1/\` and \`/api/v2/\` for older clients, except those
below \`/api/v3/projects/\`. They differ in this:

| | v1 | v2 | v3 |
|---|---|---|---|
| \`slug\`, when \`name\` is sent without it | made from the name | made from the name | left as it is |
| \`status\` while a run is open | \`started\` | as in v3 | \`new\`, \`up\`, \`grace\`, \`down\` or \`paused\` |
| Flips | \`{"flips": […]}\`, with pauses | \`{"flips": […]}\`, with pauses | ${V3_FLIPS_CELL[v3Flips]} |
| Addresses in answers | of v1 | of v2 | of v3 |

${FLIPS_NOTE[v3Flips]}`;
}

function rateOf(perMinute: number, burst: number): string {
  if (perMinute === 0) return 'not limited on this instance; keep to 100 a minute elsewhere';
  return `${perMinute} a minute for as long as you like, and up to ${burst} at once; beyond that, 429. A request counts once
for each started 4096 bytes of its body`.replaceAll('\n', ' ');
}

const V3_FLIPS_CELL: Readonly<Record<V3Flips, string>> = {
  array: '**a plain array**, only up and down',
  object: '`{"flips": […]}`, with pauses, on this instance',
};

const FLIPS_NOTE: Readonly<Record<V3Flips, string>> = {
  array: `**Flips in v3 are a plain array.** Programs that were written for Healthchecks expect the object of v1 and v2 and may
find nothing in it, silently. Let them call \`/api/v2/\`, or ask the operator of the instance for \`API_V3_FLIPS=object\`,
which makes v3 answer as v2 does.`,
  object: `**Flips in v3 are an object on this instance** (\`API_V3_FLIPS=object\`), as programs expect that were written for
Healthchecks. Elsewhere they are a plain array, without pauses.`,
};
