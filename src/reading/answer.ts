import type { MessageLimits } from '../domain/alert/message-quota.ts';
import { seeChecks } from '../domain/public/kept-text.ts';
import type { AnswerBeingMade } from '../lib/answering-threads.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import type { InPortions } from '../lib/portions.ts';
import { listSummaries } from '../services/check/check-list.ts';
import type { Deps } from '../services/core/deps.ts';
import type { QuestionOf, ReadQuestion } from '../services/core/reads.ts';
import { readStory } from '../services/history/alert-stories.ts';
import { exportAccount } from '../services/people/export.ts';
import { listBadges, tagBadge } from '../services/public/badges.ts';
import { ALL_VIEWS } from '../views/index.ts';
import type { AskedAt } from '../views/operation.ts';
import { JsonText, type Kept } from '../views/view.ts';
import { badgeListText } from '../wire/api/badges-output.ts';
import { exportPieces } from '../wire/dashboard/account-export.ts';
import { prometheusText } from '../wire/metrics/prometheus.ts';
import type { MessageSite, Site } from '../wire/site.ts';
import { accountMailPieces } from './account-mail.ts';
import { writeAlert } from './alert-mail.ts';
import { exportedActs } from './audit-log.ts';
import { lastEditHead } from './check-editor.ts';
import type { CheckLists } from './check-list.ts';
import type { Docs } from './docs.ts';
import { exportedEvents } from './event-log.ts';
import { instanceHead } from './instance.ts';
import { channelListText, deliveryListText, flipListTexts, pingListText } from './lists.ts';
import { answerInPieces, emptyAnswer, piecesOf, textInPortions } from './pieces.ts';
import { pingHtmlText } from './ping-page.ts';
import type { StatusPages } from './status-pages.ts';

/** A question with the time of the node that asks: its clock follows the database, the thread's does not. */
export interface TimedQuestion {
  readonly question: ReadQuestion;
  readonly now: Instant;
  readonly monotonic: Micros;
}

export interface ReadingDeps extends Kept, Pick<Deps, 'store' | 'vault' | 'defaultLimits'> {
  readonly site: Site & MessageSite;
  readonly messageLimits: MessageLimits;
  readonly checkLists: CheckLists;
  readonly statusPages: StatusPages;
  readonly docs: Docs;
}

/** A question has what the place of its view needs: its route has made it so. */
type PlacedQuestion = AskedAt['check'] & Pick<QuestionOf<'view'>, 'input' | 'prepared'>;

/** Makes the answer. Its bytes are the same in every thread. */
export async function answer(
  reading: ReadingDeps,
  { question, now, monotonic }: TimedQuestion,
): Promise<AnswerBeingMade<unknown>> {
  const { store, site, checkLists, checkBoards, statusPages, docs } = reading;
  const deps = { ...reading, clock: { now: () => now, monotonic: () => monotonic } };
  switch (question.kind) {
    case 'view': {
      const { kind: _, name, ...asked } = question;
      const view = ALL_VIEWS.get(name);
      if (view?.thread !== 'reader') throw new Error(`no view of reader threads is called ${name}`);
      const read = view.read(deps, asked as PlacedQuestion);
      if (!('then' in read)) return textInPortions(textOf(read));
      const answered = await read;
      return answered instanceof JsonText ? answered.made : inPieces([JSON.stringify(answered)]);
    }
    case 'check_list':
      return checkLists.answer(question, { now, monotonic });
    case 'wall':
      return textInPortions(textOf(checkBoards.wall(question.actor, question.project, deps.clock)));
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
    case 'status_page':
      return statusPages.answer(question, { now, monotonic });
    case 'docs':
      return inPieces([await docs.text(question, now)]);
    case 'ping_list':
      return inPieces([await pingListText(deps, question, site)]);
    case 'flip_list':
      return inPieces(await flipListTexts(deps, question));
    case 'delivery_list':
      return inPieces([await deliveryListText(deps, question)]);
    case 'event_export':
      return exportedEvents(deps, question);
    case 'ping_html':
      return inPieces([await pingHtmlText(deps, question)]);
    case 'channel_list':
      return inPieces([await channelListText(deps, question)]);
    case 'last_edit':
      return emptyAnswer(await lastEditHead(deps, question));
    case 'act_export':
      return exportedActs(deps, question);
    case 'alert_story':
      return emptyAnswer(await readStory(deps, question.change));
    case 'alert_mail':
      return emptyAnswer(await writeAlert(deps, question));
    case 'account_mail':
      return { ...emptyAnswer(null), rest: accountMailPieces(deps, question, site) };
    case 'account_export': {
      const { person, sessionLimits: sessions } = question;
      return inPieces(exportPieces(await exportAccount({ ...deps, settings: { sessions } }, person)));
    }
    default:
      return emptyAnswer(await instanceHead(deps, question));
  }
}

async function* textOf(work: InPortions<unknown>): InPortions<string> {
  return JSON.stringify(yield* work);
}

function inPieces(texts: AsyncIterable<string> | Iterable<string>): Promise<AnswerBeingMade<null>> {
  return answerInPieces(null, piecesOf(texts));
}
