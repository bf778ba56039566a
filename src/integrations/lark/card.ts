import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { allFacts, causeSentence, type Dialect, quotedTitle } from '../text/listed-facts.ts';
import { escapeByEntities } from '../text/markup.ts';

/** https://open.larksuite.com/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-components/content-components/rich-text */
const DIALECT: Dialect = {
  text: escapeByEntities,
  tags: (tags) => escapeByEntities(tags.join(', ')),
  schedule: escapeByEntities,
};

const COLORS = { DOWN: 'red', UP: 'green', NOTED: 'yellow' };

const plain = (content: string) => ({ tag: 'plain_text', content });
const rich = (content: string) => ({ tag: 'lark_md', content });

/**
 * A card with a coloured title and a button. Clients of any age show this form:
 * https://open.larksuite.com/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-structure
 */
export function larkCard(event: AlertEvent): object {
  const facts = alertFacts(event);
  return {
    config: { wide_screen_mode: true },
    header: { template: COLORS[facts.state], title: plain(quotedTitle(facts)) },
    elements: [
      ...paragraph(causeSentence(facts)),
      ...buttonLine(event, MARKDOWN_LINK).map((line) => ({ tag: 'div', text: rich(line) })),
      ...fieldsOf(facts),
      ...quotation(facts),
      ...button(facts, event),
    ],
  };
}

function paragraph(text: string): object[] {
  return text === '' ? [] : [{ tag: 'div', text: plain(text) }];
}

function fieldsOf(facts: AlertFacts): object[] {
  const long = facts.description === '' ? [] : [field('Description', DIALECT.text(facts.description), false)];
  const short = allFacts(facts, DIALECT).map(({ label, value }) => field(label, value, true));
  const fields = [...long, ...short];
  return fields.length === 0 ? [] : [{ tag: 'div', fields }];
}

function field(label: string, value: string, isShort: boolean): object {
  return { is_short: isShort, text: rich(`**${label}**\n${value}`) };
}

function quotation({ body }: AlertFacts): object[] {
  return body === '' ? [] : [{ tag: 'hr' }, ...paragraph(body)];
}

function button({ link }: AlertFacts, { site }: AlertEvent): object[] {
  if (link === null) return [];
  const open = { tag: 'button', type: 'primary', text: plain(`View in ${site.name}`), url: link };
  return [{ tag: 'action', actions: [open] }];
}
