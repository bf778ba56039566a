import { MAX_TAGS, splitTags } from '../../domain/check/tags.ts';
import { happenedAt } from '../../domain/ping/ping.ts';
import { MICROS_PER_SECOND, toIsoSeconds } from '../../lib/instant.ts';
import { decodeBody } from '../../lib/text/excerpt.ts';
import { checkAddress } from '../../wire/site.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { buttonAddress } from '../text/button-links.ts';
import { asciiJson, jsonString, percentEncode } from '../text/encode.ts';
import type { Mode, Table } from '../text/fill.ts';

/**
 * The placeholders in a webhook's templates. `pct` means percent-encoded; `-` means that the placeholder stays as it is
 * written. Afterwards each header value is converted to Latin-1 as a whole.
 *
 * | Placeholder      | Value                                                         | URL | Header | Body |
 * |------------------|---------------------------------------------------------------|-----|--------|------|
 * | `$CODE`          | UUID of the check                                             | raw | raw    | raw  |
 * | `$STATUS`        | `up` or `down`                                                | raw | raw    | raw  |
 * | `$NOW`           | when the check changed, `2020-03-24T14:02:03+00:00`           | pct | raw    | raw  |
 * | `$NAME`          | its name; empty if it has none                                | pct | raw    | raw  |
 * | `$NAME_JSON`     | the same as a JSON string, in ASCII                           | pct | raw    | raw  |
 * | `$SLUG`          | its slug                                                      | raw | raw    | raw  |
 * | `$TAGS`          | its tags, as stored                                           | pct | raw    | raw  |
 * | `$TAG1`, `$TAG2` | its n-th tag; stays as it is written if there is none         | pct | raw    | raw  |
 * | `$JSON`          | the check as version 3 of the API shows it                    | pct | ASCII  | raw  |
 * | `$EXITSTATUS`    | of the last ping; `-1` if none is known                       | raw | raw    | raw  |
 * | `$BODY`          | body of the last ping, as text; empty if there is none        | -   | -      | raw  |
 * | `$BODY_JSON`     | the same as a JSON string, in ASCII                           | -   | -      | raw  |
 *
 * The reference does not have the following ones.
 *
 * | Placeholder      | Value                                                         | URL | Header | Body |
 * |------------------|---------------------------------------------------------------|-----|--------|------|
 * | `$PROJECT`       | name of the project                                           | pct | raw    | raw  |
 * | `$REASON`        | why it went down: `timeout` or `fail`; empty when it came up  | raw | raw    | raw  |
 * | `$DURATION`      | how long it was down, in whole seconds; `-1` if that is not known, and when it went down | raw | raw | raw |
 * | `$LAST_PING`     | when the last ping came, in the form of `$NOW`; empty if none | pct | raw    | raw  |
 * | `$URL`           | page of the check, without its UUID                           | pct | raw    | raw  |
 * | `$ACK_URL`       | page that acknowledges the outage; empty when the check came up, and if the integration has no buttons | pct | raw | raw |
 * | `$SNOOZE_URL`    | page that keeps the check silent for an hour; empty as above  | pct | raw    | raw  |
 */
export function placeholders(event: AlertEvent): Table {
  const { check, ping } = event;
  const tags = splitTags(check.tags)
    .slice(0, MAX_TAGS)
    .map((tag, index) => [`TAG${index + 1}`, encoded(tag)] as const);
  return {
    CODE: () => check.uuid,
    STATUS: () => event.to,
    NOW: encoded(toIsoSeconds(event.at)),
    NAME: encoded(check.name),
    NAME_JSON: encoded(jsonString(check.name)),
    SLUG: () => check.slug,
    TAGS: encoded(check.tags),
    ...Object.fromEntries(tags),
    JSON: (mode) => (mode === 'header' ? asciiJson(check.json) : encoded(check.json)(mode)),
    EXITSTATUS: () => String(ping?.exitStatus ?? -1),
    BODY: (mode) => (mode === 'body' ? bodyText(event) : null),
    BODY_JSON: (mode) => (mode === 'body' ? jsonString(bodyText(event)) : null),
    PROJECT: encoded(event.projectName),
    REASON: () => event.reason,
    DURATION: () => String(event.downFor === null ? -1 : Math.floor(event.downFor / MICROS_PER_SECOND)),
    LAST_PING: encoded(ping === null ? '' : toIsoSeconds(happenedAt(ping))),
    // Always an address, even if the page does not exist: templates rely on it.
    URL: encoded(checkAddress(event.site.root, check.uniqueKey)),
    ACK_URL: encoded(buttonAddress(event, 'acknowledge')),
    SNOOZE_URL: encoded(buttonAddress(event, 'snooze')),
  };
}

function encoded(value: string): (mode: Mode) => string {
  return (mode) => (mode === 'url' ? percentEncode(value) : value);
}

function bodyText({ body }: AlertEvent): string {
  return body === null ? '' : decodeBody(body);
}
