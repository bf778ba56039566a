import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { allFacts, type Dialect, quotedTitle, storySentence } from '../text/listed-facts.ts';
import { defuseMarkdown, escapeAngles } from '../text/markup.ts';

/** Adaptive Cards render Markdown and have no escape, so its signs are defused. */
const DIALECT: Dialect = {
  text: defuseMarkdown,
  tags: (tags) => defuseMarkdown(tags.join(' ')),
  schedule: defuseMarkdown,
};

/** https://adaptivecards.io/explorer/AdaptiveCard.html and https://learn.microsoft.com/en-us/connectors/teams/ */
export function teamsMessage(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { link } = facts;
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    fallbackText: escapeAngles(quotedTitle(facts)),
    body: [heading(facts), ...story(facts), ...factSet(facts), ...quotation(facts)],
    ...actionsOf(event, link),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function actionsOf({ buttons, site }: AlertEvent, link: string | null): object {
  const view = link === null ? [] : [{ label: `View in ${site.name}`, url: link }];
  const actions = [...buttons, ...view].map(({ label: title, url }) => ({
    type: 'Action.OpenUrl',
    title,
    url,
  }));
  return actions.length === 0 ? {} : { actions };
}

function heading(facts: AlertFacts): object {
  const { ownTitle, state, reason } = facts;
  const title = defuseMarkdown(escapeAngles(quotedTitle(facts)));
  const whole = ownTitle !== null || reason === '' ? title : title.replace(/\.$/, ` (${reason}).`);
  return {
    type: 'TextBlock',
    text: `${CIRCLES[state]} ${whole}`,
    weight: 'bolder',
    size: 'medium',
    wrap: true,
    style: 'heading',
  };
}

function story(facts: AlertFacts): object[] {
  const text = DIALECT.text(storySentence(facts));
  return text === '' ? [] : [{ type: 'TextBlock', text, wrap: true }];
}

function factSet(facts: AlertFacts): object[] {
  // A single line break is not shown.
  const description = DIALECT.text(facts.description).replaceAll('\n', '\n\n');
  const listed = [{ label: 'Description', value: description }, ...allFacts(facts, DIALECT)];
  const known = listed.filter(({ value }) => value !== '');
  if (known.length === 0) return [];
  return [{ type: 'FactSet', facts: known.map(({ label, value }) => ({ title: `${label}:`, value })) }];
}

function quotation({ body }: AlertFacts): object[] {
  if (body === '') return [];
  return [
    { type: 'TextBlock', text: 'Last Ping Body:', weight: 'bolder' },
    { type: 'CodeBlock', codeSnippet: body, language: 'PlainText' },
  ];
}
