import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts, CIRCLES } from '../text/alert-facts.ts';
import { buttonLine, HTML_LINK } from '../text/button-links.ts';
import { allFacts, causeSentence, type Dialect, quotedTitle } from '../text/listed-facts.ts';
import { escapeAngles } from '../text/markup.ts';

/** https://developers.google.com/workspace/chat/format-messages#card-formatting */
const DIALECT: Dialect = {
  text: escapeAngles,
  tags: (tags) => escapeAngles(tags.join(', ')),
  schedule: escapeAngles,
};

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/cards. Messages about one check share a thread. */
export function googleChatMessage(event: AlertEvent): object {
  const facts = alertFacts(event);
  const details = allFacts(facts, DIALECT).map(({ label, value }) => ({
    decoratedText: { topLabel: label, text: value },
  }));
  const widgets = [
    { textParagraph: { text: paragraph(facts) } },
    ...answers(event),
    ...details,
    ...button(facts, event),
  ];
  return {
    fallbackText: quotedTitle(facts),
    cardsV2: [
      {
        card: {
          sections: [{ collapsible: true, uncollapsibleWidgetsCount: 1 + answers(event).length, widgets }],
        },
      },
    ],
    thread: { threadKey: event.check.uniqueKey },
  };
}

function paragraph(facts: AlertFacts): string {
  const { ownTitle, name, state } = facts;
  const cause = causeSentence(facts);
  const title =
    ownTitle === null
      ? `<b>${escapeAngles(name)}</b> is <b>${state}</b>.`
      : `<b>${escapeAngles(ownTitle)}</b>`;
  const first = `${CIRCLES[state]} ${title}`;
  return cause === '' ? first : `${first}\n${escapeAngles(cause)}`;
}

/** They stay in sight while the details are folded away. */
function answers(event: AlertEvent): object[] {
  return buttonLine(event, HTML_LINK).map((text) => ({ textParagraph: { text } }));
}

function button({ link }: AlertFacts, { site }: AlertEvent): object[] {
  if (link === null) return [];
  const text = `View in ${site.name}`;
  return [{ buttonList: { buttons: [{ text, type: 'FILLED', onClick: { openLink: { url: link } } }] } }];
}
