import type { CheckSummary, Status } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { statusAt } from '../../domain/check/status.ts';
import { downtimes, longestOutage, uptimes } from '../../domain/history/downtime.ts';
import type { Instant } from '../../lib/instant.ts';
import type { BlindSpan } from '../../storage/store.ts';
import type { ReportedCheck } from '../../wire/mail/report-mail.ts';
import type { Deps } from '../core/deps.ts';
import { pastQuietTimes } from '../core/quiet-spans.ts';

/** Reading for a report needs only these. */
export type ReportReadingDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** What a report tells of these checks, and their changes of status since the oldest boundary. */
export async function reportPage(
  { store, clock }: ReportReadingDeps,
  page: readonly CheckSummary[],
  boundaries: readonly Instant[],
  blind: readonly BlindSpan[],
): Promise<{ readonly checks: readonly ReportedCheck[]; readonly flips: readonly Flip[] }> {
  const now = clock.now();
  const since = boundaries.at(-1) ?? now;
  const flips = await store.flips.ofChecks(
    page.map(({ id }) => id),
    since,
  );
  const byCheck = Map.groupBy(flips, ({ checkId }) => checkId);
  const quietOf = await pastQuietTimes(store, page, since);
  const [until = now, from = since] = boundaries;
  const checks = page.map((check): ReportedCheck => {
    const own = byCheck.get(check.id) ?? [];
    const unseen = [...blind, ...quietOf(check)];
    const downs = downtimes(boundaries, check, own, unseen, now);
    return {
      name: check.name,
      status: shownStatus(check, now),
      downtimes: downs,
      uptimes: uptimes(boundaries, check, own, downs, unseen, now),
      longest: (downs[1]?.count ?? 0) === 0 ? null : longestOutage({ from, until }, check, own, unseen, now),
    };
  });
  return { checks, flips };
}

/** A check that cannot be evaluated must not stop the mail about all others. */
export function shownStatus(check: CheckSummary, now: Instant): Status {
  try {
    return statusAt(check, now);
  } catch {
    return check.status;
  }
}
