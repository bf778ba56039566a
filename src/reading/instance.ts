import type { Deps } from '../services/core/deps.ts';
import { findChecksAhead } from '../services/core/liveness.ts';
import type { QuestionOf, ReadHeads } from '../services/core/reads.ts';
import { readProgress } from '../services/instance/health.ts';
import { readBacklog, readLateness } from '../services/instance/vitals.ts';

/** Questions about the whole installation. Their answers are values without a text. */
export type InstanceKind =
  | 'progress'
  | 'backlog'
  | 'lateness'
  | 'was_pinged'
  | 'flapping'
  | 'failing_channels'
  | 'blindness'
  | 'checks_ahead';

type InstanceDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function instanceHead(
  deps: InstanceDeps,
  question: QuestionOf<InstanceKind>,
): Promise<ReadHeads[InstanceKind]> {
  const { mailPreferences, flips, channels } = deps.store;
  switch (question.kind) {
    case 'progress':
      return readProgress(deps);
    case 'backlog':
      return readBacklog(deps);
    case 'lateness':
      return readLateness(deps, question.held);
    case 'was_pinged':
      return mailPreferences.wasPinged(question.accountId, question.since);
    case 'flapping':
      return flips.flapping(question.query);
    case 'failing_channels':
      return channels.leftBehind(question.failingUntil, question.limit);
    case 'blindness':
      return mailPreferences.afterBlindness(question.afterAccount, question.limit, question.until);
    case 'checks_ahead':
      return findChecksAhead(deps, question.afterId, deps.clock.now());
    default:
      return question satisfies never;
  }
}
