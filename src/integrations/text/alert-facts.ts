import { checkLabel } from '../../domain/check-label.ts';
import { splitTags } from '../../domain/tags.ts';
import { durationText, periodText } from '../../lib/text/durations.ts';
import { clipped, decodeBody } from '../../lib/text/excerpt.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';
import type { AlertEvent } from '../alert-event.ts';
import { checkLink, lastPingText, reasonText, totalPings } from './facts.ts';

/** The number of characters of a ping's body that a chat message quotes. */
const QUOTED_BODY = 1000;

/**
 * The content of a short message as plain text. Nothing is escaped yet. It contains nothing that lets a reader send
 * pings.
 */
export interface AlertFacts {
  readonly name: string;
  readonly state: 'DOWN' | 'UP';
  /** The check's page; null if there is none. */
  readonly link: string | null;
  /** Why it went down; empty if there is no reason. */
  readonly reason: string;
  /** How long it was down; empty if unknown. */
  readonly downtime: string;
  readonly description: string;
  readonly project: string;
  readonly tags: readonly string[];
  /** How often pings are expected: either a period, or a schedule with its time zone. */
  readonly cadence: { readonly period: string } | { readonly schedule: string; readonly timeZone: string };
  readonly totalPings: string;
  readonly lastPing: string;
  /** The beginning of the last ping's body; empty if there is none. */
  readonly body: string;
}

export function alertFacts(event: AlertEvent): AlertFacts {
  const { check, ping, now, body } = event;
  const mask = secretsMask(check.uuid);
  return {
    name: mask(checkLabel(check.name)),
    state: event.to === 'down' ? 'DOWN' : 'UP',
    link: checkLink(event),
    reason: reasonText(event.reason),
    downtime: event.downFor === null ? '' : durationText(event.downFor),
    description: mask(plainLines(check.description)).trim(),
    project: oneLine(event.projectName),
    tags: splitTags(check.tags).map((tag) => mask(oneLine(tag))),
    cadence:
      check.cadence.kind === 'simple'
        ? { period: periodText(check.cadence.timeoutSeconds) }
        : { schedule: plainLines(check.cadence.schedule).trim(), timeZone: oneLine(check.cadence.tz) },
    totalPings: String(totalPings(ping)),
    lastPing: lastPingText(ping, now),
    body: body === null ? '' : mask(clipped(plainLines(decodeBody(body)), QUOTED_BODY)).trim(),
  };
}
