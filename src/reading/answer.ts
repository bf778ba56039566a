import type { MessageLimits } from '../domain/alert/message-quota.ts';
import type { AnswerBeingMade } from '../lib/answering-threads.ts';
import type { Clock } from '../lib/clock.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import { manyTold } from '../services/alert/channel-messages.ts';
import { reportTold } from '../services/alert/channel-reports.ts';
import { failingChannels } from '../services/alert/channel-trouble.ts';
import { outagesTold } from '../services/alert/pressed-many.ts';
import { changedFileFields } from '../services/check/file-fields.ts';
import type { Deps } from '../services/core/deps.ts';
import { checksAhead } from '../services/core/liveness.ts';
import type { Read } from '../services/core/reads.ts';
import { alertStory } from '../services/history/alert-stories.ts';
import { lastEdit } from '../services/history/audit-log.ts';
import { progress } from '../services/instance/health.ts';
import { backlog, lateness } from '../services/instance/vitals.ts';
import { concernedAccounts } from '../services/mail/blind-spans.ts';
import { flapping } from '../services/mail/flapping.ts';
import { wasPinged } from '../services/mail/reports.ts';
import { tagCounts } from '../services/public/tag-badges.ts';
import { wallBoard } from '../views/check-boards.ts';
import type { Kept } from '../views/view.ts';
import type { MessageSite, Site } from '../wire/site.ts';
import { accountMail } from './account-mail.ts';
import { alertMail } from './alert-mail.ts';
import { type CheckLists, checkList } from './check-list.ts';
import { type Docs, docsPage } from './docs.ts';
import {
  accountExport,
  badgeList,
  channelList,
  deliveryList,
  flipList,
  pingList,
  projectMetrics,
  runList,
  whyAnswer,
} from './lists.ts';
import { actFile, eventFile } from './log-files.ts';
import { pingHtml } from './ping-page.ts';
import { type StatusPages, statusPage } from './status-pages.ts';
import { view } from './view-read.ts';

export interface ReadingDeps extends Kept, Pick<Deps, 'store' | 'vault' | 'defaultLimits'> {
  readonly site: Site & MessageSite;
  readonly messageLimits: MessageLimits;
  readonly checkLists: CheckLists;
  readonly statusPages: StatusPages;
  readonly docs: Docs;
}

type AnyRead = Read<never, unknown, ReadingDeps & Pick<Deps, 'clock'>>;

/** All reads. A thread finds them by these names. */
export const READS: Readonly<Record<string, AnyRead>> = {
  accountExport,
  accountMail,
  actFile,
  alertMail,
  alertStory,
  backlog,
  badgeList,
  changedFileFields,
  channelList,
  checkList,
  checksAhead,
  concernedAccounts,
  deliveryList,
  docsPage,
  eventFile,
  failingChannels,
  flapping,
  flipList,
  lastEdit,
  lateness,
  manyTold,
  outagesTold,
  reportTold,
  pingHtml,
  pingList,
  progress,
  projectMetrics,
  runList,
  statusPage,
  tagCounts,
  view,
  wallBoard,
  wasPinged,
  whyAnswer,
};

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(READS).map(([name, read]) => [read, name]),
);

/** A question with the time of the node that asks: its clock follows the database, the thread's does not. */
export interface TimedQuestion {
  readonly name: string;
  readonly asked: unknown;
  readonly now: Instant;
  readonly monotonic: Micros;
}

/** The message to the thread that makes the answer. */
export function questionOf<Asked>(read: Read<Asked, unknown>, asked: Asked, clock: Clock): TimedQuestion {
  const name = NAMES.get(read);
  if (name === undefined) throw new Error('the read is missing in the table');
  return { name, asked, now: clock.now(), monotonic: clock.monotonic() };
}

/** Makes the answer. Its bytes are the same in every thread. */
export async function answer(
  deps: ReadingDeps,
  { name, asked, now, monotonic }: TimedQuestion,
): Promise<AnswerBeingMade<unknown>> {
  const read = READS[name];
  if (read === undefined) throw new Error(`no read is called ${name}`);
  // `questionOf` wrote the question for this read.
  return read.answer({ ...deps, clock: { now: () => now, monotonic: () => monotonic } }, asked as never);
}
