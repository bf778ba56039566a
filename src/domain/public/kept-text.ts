import type { Instant } from '../../lib/instant.ts';
import type { ProjectMarks } from '../change-marks.ts';
import type { CheckSummary, Status } from '../check/check.ts';
import { ALWAYS, isWithin, overlap, type Span, statusInTime } from '../check/status.ts';

/** A text about the checks of a project, with what tells how long it stays true. */
export interface KeptText {
  /** Within this span time alone changes no status. */
  readonly span: Span;
  /** The marks of the project, read before its checks. */
  readonly marks: ProjectMarks;
}

/** A check and the status that readers see. */
export interface SeenCheck {
  readonly check: CheckSummary;
  readonly status: Status;
  /** See `expectedAt`. */
  readonly expected: Instant | null;
}

export function seeChecks(
  checks: readonly CheckSummary[],
  now: Instant,
): { readonly seen: readonly SeenCheck[]; readonly span: Span } {
  let whole = ALWAYS;
  const seen = checks.map((check) => {
    const { status, span, expected } = statusInTime(check, now);
    whole = overlap(whole, span);
    return { check, status, expected };
  });
  return { seen, span: whole };
}

/** Whether the text is what writing it now would give. */
export function isTextTrue({ span, marks }: KeptText, now: Instant, marksNow: ProjectMarks): boolean {
  return isWithin(span, now) && marks.checks === marksNow.checks;
}
