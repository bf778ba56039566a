import type { DraftSchedule } from '../../domain/check/schedule-preview.ts';
import type { Keywords } from '../../domain/ping/keyword-filter.ts';
import { MAX_PASTED } from '../../domain/schedule/pasted.ts';
import { acceptedTimezone } from '../../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { flag, integer, oneOf, refined, text } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { CHECK_FIELDS } from '../api/check-input.ts';
import { readGiven, readRequired } from './input.ts';

/** The longest text that keywords are tried on. */
export const MAX_TRIED_TEXT = 100_000;

const zoneField = refined(text({ maxLength: 100 }), 'timezone', acceptedTimezone);

/** A schedule that somebody writes. It may be wrong. */
export function parseDraft(body: JsonObject): DraftSchedule & { graceSeconds: number; zone: string } {
  const draft = readRequired(
    {
      kind: oneOf(['simple', 'cron', 'oncalendar'], 'Kind of schedule'),
      timeout: integer({ minimum: 1, maximum: 1e9 }),
      schedule: text({ maxLength: MAX_PASTED }),
      tz: zoneField,
      grace: integer({ minimum: 1, maximum: 1e9 }),
      zone: zoneField,
    },
    body,
  );
  const { kind, timeout: timeoutSeconds, schedule, tz, grace: graceSeconds, zone } = draft;
  return { kind, timeoutSeconds, schedule, tz, graceSeconds, zone };
}

export function parseCrontab(body: JsonObject): { readonly text: string } {
  return readRequired({ text: text({ maxLength: MAX_PASTED }) }, body);
}

/** Keywords to try, and a text to try them on besides the last pings. */
export function parseTrial(body: JsonObject): { readonly keywords: Keywords; readonly text: string | null } {
  const { start_kw, success_kw, failure_kw } = CHECK_FIELDS;
  const given = readGiven(
    {
      ...{ start_kw, success_kw, failure_kw },
      filter_default_fail: flag(''),
      text: text({ maxLength: MAX_TRIED_TEXT }),
    },
    body,
  );
  return {
    keywords: {
      startKeywords: given.start_kw ?? '',
      successKeywords: given.success_kw ?? '',
      failureKeywords: given.failure_kw ?? '',
      filterDefaultFail: given.filter_default_fail ?? false,
    },
    text: given.text ?? null,
  };
}

/** A name for which a slug is wanted, or a slug that somebody has chosen. */
export function parseSlugQuestion(query: URLSearchParams): { readonly name: string; readonly slug: string } {
  const read = (field: string, most: number) => (query.get(field) ?? '').slice(0, most);
  return { name: read('name', 2 * TEXT_LIMITS.checkName), slug: read('slug', TEXT_LIMITS.checkSlug) };
}
