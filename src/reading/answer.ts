import { seeChecks } from '../domain/kept-text.ts';
import { alertMail } from '../integrations/email/message.ts';
import type { AnswerBeingMade } from '../lib/answering-threads.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import { previewClosing } from '../services/accounts/closing.ts';
import { searchAccounts, searchProjects } from '../services/accounts/directory.ts';
import { exportAccount } from '../services/accounts/export.ts';
import { listBadges, tagBadge } from '../services/badges.ts';
import { listSummaries } from '../services/check-list.ts';
import type { Deps } from '../services/deps.ts';
import type { ReadQuestion } from '../services/reads.ts';
import { badgeListText } from '../wire/api/badges-output.ts';
import { exportPieces } from '../wire/dashboard/account-output.ts';
import { accountEntryJson, projectEntryJson } from '../wire/dashboard/admin-output.ts';
import { prometheusText } from '../wire/metrics/prometheus.ts';
import type { MessageSite, Site } from '../wire/site.ts';
import { accountMailPieces } from './account-mail.ts';
import { actListText, exportedActs } from './audit-log.ts';
import { channelChecksText, channelDeliveriesText, channelOverviewText } from './channels.ts';
import type { CheckLists } from './check-list.ts';
import { instanceHead } from './instance.ts';
import { channelListText, deliveryListText, flipListTexts, pingListText } from './lists.ts';
import { answerInPieces, emptyAnswer, piecesOf } from './pieces.ts';
import type { ProjectLists } from './project-list.ts';

/** A question with the time of the node that asks: its clock follows the database, the thread's does not. */
export interface TimedQuestion {
  readonly question: ReadQuestion;
  readonly now: Instant;
  readonly monotonic: Micros;
}

export interface ReadingDeps extends Pick<Deps, 'store' | 'vault' | 'defaultLimits'> {
  readonly site: Site & MessageSite;
  readonly checkLists: CheckLists;
  readonly projectLists: ProjectLists;
}

/** Makes the answer. Its bytes are the same in every thread. */
export async function answer(
  { store, vault, defaultLimits, site, checkLists, projectLists }: ReadingDeps,
  { question, now, monotonic }: TimedQuestion,
): Promise<AnswerBeingMade<unknown>> {
  const deps = { store, vault, defaultLimits, clock: { now: () => now } };
  switch (question.kind) {
    case 'check_list':
      return checkLists.answer(question, { now, monotonic });
    case 'badge_list':
      return inPieces(badgeListText(listBadges(deps, question.actor), site));
    case 'tag_badge':
      return emptyAnswer(await tagBadge(deps, question.tag));
    case 'project_metrics': {
      // The marks come first: a change after this is either told or makes the marks differ.
      const marks = store.marks.of(question.actor.projectId);
      const { seen, span } = seeChecks(await listSummaries(deps, question.actor), now);
      return answerInPieces({ marks, span }, piecesOf(prometheusText(seen)));
    }
    case 'ping_list':
      return inPieces([await pingListText(deps, question, site)]);
    case 'flip_list':
      return inPieces(await flipListTexts(deps, question));
    case 'delivery_list':
      return inPieces([await deliveryListText(deps, question)]);
    case 'channel_list':
      return inPieces([await channelListText(deps, question)]);
    case 'channel_overview':
      return inPieces([await channelOverviewText(deps, question)]);
    case 'channel_deliveries':
      return inPieces([await channelDeliveriesText(deps, question)]);
    case 'channel_checks':
      return inPieces([await channelChecksText(deps, question)]);
    case 'project_list':
      return projectLists.answer(question, { now, monotonic });
    case 'act_list':
      return inPieces([await actListText(deps, question)]);
    case 'act_export':
      return exportedActs(deps, question);
    case 'account_search': {
      const { entries, next } = await searchAccounts(deps, question.person, question.search);
      return inPieces([JSON.stringify({ accounts: entries.map(accountEntryJson), cursor: next })]);
    }
    case 'project_search': {
      const { entries, next } = await searchProjects(deps, question.person, question.search);
      return inPieces([JSON.stringify({ projects: entries.map(projectEntryJson), cursor: next })]);
    }
    case 'alert_mail':
      return emptyAnswer(alertMail(question.event, question.to, question.unsubscribeUrl));
    case 'account_mail':
      return { ...emptyAnswer(null), rest: accountMailPieces(deps, question, site) };
    case 'account_export': {
      const { person, sessionLimits: sessions } = question;
      return inPieces(exportPieces(await exportAccount({ ...deps, settings: { sessions } }, person)));
    }
    case 'account_closing':
      return emptyAnswer(await previewClosing(deps, question.person));
    default:
      return emptyAnswer(await instanceHead(deps, question));
  }
}

function inPieces(texts: AsyncIterable<string> | Iterable<string>): Promise<AnswerBeingMade<null>> {
  return answerInPieces(null, piecesOf(texts));
}
