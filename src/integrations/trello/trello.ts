import { text } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type Call, requestKind } from '../kind/kind.ts';
import { title, units } from '../kind/limits.ts';
import { recoverySetting } from '../kind/recovery-setting.ts';
import type { Setting } from '../kind/setting.ts';
import { formCall } from '../send/form-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { causeSentence, listedFacts, othersFact } from '../text/listed-facts.ts';
import { codeSpan, escapeMarkdown } from '../text/markup.ts';
import { recoveryText } from '../text/recovery-text.ts';
import { TRELLO_APP, trelloConnection } from './connection.ts';

/** https://developer.atlassian.com/cloud/trello/guides/rest-api/limits/: a name or a text has at most so many characters. */
const MAX_TEXT = 16_384;

const SETTINGS = {
  token: {
    label: 'Token',
    help: 'What Trello shows after you have allowed this service to create cards.',
    field: text({ maxLength: 1_000 }),
    control: 'text',
    secret: true,
  } satisfies Setting<string>,
  list_id: {
    label: 'List id',
    help: 'The list in which cards are created.',
    field: text({ maxLength: 32, pattern: /^[0-9a-fA-F]{16,32}$/ }),
    control: 'text',
  } satisfies Setting<string>,
  board_name: {
    label: 'Name of the board',
    field: text({ maxLength: 100 }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  list_name: {
    label: 'Name of the list',
    field: text({ maxLength: 100 }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  on_recovery: recoverySetting('card', 'archive'),
};

const API = 'https://api.trello.com/1/cards';

/** https://developer.atlassian.com/cloud/trello/rest/api-group-cards/#api-cards-post */
export const trello = requestKind({
  label: 'Trello',
  category: 'work',
  summary: 'a card on a board',
  description:
    'Creates a card when a check goes down. When it comes up, the card can get a comment, and be archived.',
  setup: [
    'Let Trello create a token for this service: open `https://trello.com/1/authorize?expiration=never&scope=read,write&response_type=token&key=` with the API key of the operator at its end, and press **Allow**.',
    'Open the board in a browser, and add `.json` to its address. The `id` of the list is in what you see.',
    'Paste both. The names of the board and the list are for people only.',
    'Choose what happens to the card when the check comes up.',
  ],
  example: {
    token: 'ATTA0123456789abcdef0123456789abcdef',
    list_id: '5abbe4b7ddc1b351ef961414',
    board_name: 'Operations',
    list_name: 'To do',
  },
  settings: SETTINGS,
  server: TRELLO_APP,
  requires: ['TRELLO_APP_KEY'],
  connection: trelloConnection,
  target: ({ board_name: board, list_name: list }) => [board, list].filter((name) => name !== '').join(' / '),
  wants: ({ on_recovery: act }, to) => to === 'down' || act !== 'nothing',
  destination: () => 'api.trello.com',
  endsTest: (settings) => ({ ...settings, on_recovery: 'close' as const }),
  takesOwnWords: true,
  limits: { name: title(units(MAX_TEXT)), desc: units(MAX_TEXT), text: units(MAX_TEXT) },
  needsBody: false,
  needsStory: true,
  render(event, { token, list_id: idList, on_recovery: act }, { TRELLO_APP_KEY: key }) {
    if (key === null) return { kind: 'refused', error: 'Trello notifications are not enabled.' };
    // In the body, since addresses are often logged.
    const access = { key, token };
    if (event.to === 'up') return endCard(event, act === 'close', access);
    const { ownTitle, name } = alertFacts(event);
    const card = {
      idList,
      name: ownTitle ?? `Down: ${name}`,
      desc: cardText(event),
      ...access,
    };
    return [formCall(API, card)];
  },
  classify(reply) {
    const outcome = classifyByStatus(reply);
    const { id } = jsonOf(reply);
    return outcome.kind === 'delivered' && isCardId(id) ? { ...outcome, providerId: id } : outcome;
  },
});

function isCardId(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{24}$/i.test(id);
}

/**
 * Tells on the card that the outage is over. It is archived before, since that can be repeated if the comment fails:
 * https://developer.atlassian.com/cloud/trello/rest/api-group-cards/#api-cards-id-put and
 * https://developer.atlassian.com/cloud/trello/rest/api-group-cards/#api-cards-id-actions-comments-post
 */
function endCard(
  event: AlertEvent,
  isArchived: boolean,
  access: { readonly key: string; readonly token: string },
): readonly Call[] {
  const id = event.answers?.providerId ?? null;
  // Nothing was made for the outage that ends.
  if (!isCardId(id)) return [];
  const archive = { ...formCall(`${API}/${id}`, { closed: 'true', ...access }), method: 'PUT' };
  const text = recoveryText(event);
  return [...(isArchived ? [archive] : []), formCall(`${API}/${id}/actions/comments`, { text, ...access })];
}

/** Trello shows Markdown. */
function cardText(event: AlertEvent): string {
  const facts = alertFacts(event);
  const { description, link } = facts;
  const dialect = {
    text: escapeMarkdown,
    tags: (tags: readonly string[]) => tags.map(codeSpan).join(' '),
    schedule: codeSpan,
  };
  const lines = [...listedFacts(facts, dialect), ...othersFact(facts, dialect)].map(
    ({ label, value }) => `**${label}:** ${value}`,
  );
  return [
    ...(description === '' ? [] : [escapeMarkdown(description), '']),
    ...[causeSentence(facts)].filter((sentence) => sentence !== '').map(escapeMarkdown),
    '',
    ...lines,
    ...(link === null ? [] : ['', `[View in ${escapeMarkdown(event.site.name)}](${link})`]),
  ].join('\n');
}
