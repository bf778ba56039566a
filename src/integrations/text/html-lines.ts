import { escapeHtml } from '../../lib/html-escape.ts';
import type { AlertFacts } from './alert-facts.ts';

/** The sentence about the check, as HTML. Its name is a link if the check has a page. */
export function htmlHeadline({ name, state, link, reason }: AlertFacts): string {
  const why = reason === '' ? '' : ` (${escapeHtml(reason)})`;
  const linked = link === null ? escapeHtml(name) : `<a href="${escapeHtml(link)}">${escapeHtml(name)}</a>`;
  return `${linked} is <b>${state}</b>${why}.`;
}

export function htmlDowntime({ downtime }: AlertFacts): string[] {
  return downtime === '' ? [] : [`The downtime lasted ${escapeHtml(downtime)}.`];
}

/** Further facts about the check, one on each line. */
export function htmlDetails({ project, tags, cadence, totalPings, lastPing }: AlertFacts): string[] {
  const details: (readonly [label: string, html: string])[] = [
    ['Project', escapeHtml(project)],
    ['Tags', escapeHtml(tags.join(', '))],
    ...('period' in cadence
      ? [['Period', escapeHtml(cadence.period)] as const]
      : [
          ['Schedule', `<code>${escapeHtml(cadence.schedule)}</code>`] as const,
          ['Time Zone', escapeHtml(cadence.timeZone)] as const,
        ]),
    ['Total Pings', totalPings],
    ['Last Ping', escapeHtml(lastPing)],
  ];
  return details.filter(([, html]) => html !== '').map(([label, html]) => `<b>${label}:</b> ${html}`);
}
