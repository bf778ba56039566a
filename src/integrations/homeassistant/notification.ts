import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK, plainButtonLines } from '../text/button-links.ts';
import { incidentOf, textBelowTitle } from '../text/incident.ts';
import { plainTitle } from '../text/listed-facts.ts';
import { markdownMessage } from '../text/markdown-lines.ts';

/**
 * https://companion.home-assistant.io/docs/notifications/notification-details: 4096 bytes, less additions of the app.
 */
export const MAX_NOTIFICATION_BYTES = 3_600;
const MAX_MESSAGE_BYTES = 3_000;

/** The fields of the action. A message about the same check replaces the one before, where the action can do that. */
export function notificationOf(event: AlertEvent, action: string): object {
  const facts = alertFacts(event);
  const { link } = facts;
  const title = withoutTemplates(plainTitle(facts));
  const key = event.check.uniqueKey;
  if (action === 'persistent_notification.create') {
    // https://www.home-assistant.io/integrations/persistent_notification/
    const lines = [
      markdownMessage(event, MAX_MESSAGE_BYTES, buttonLine(event, MARKDOWN_LINK)),
      ...(link === null ? [] : [`[${event.site.name}](${link})`]),
    ];
    return { title, message: withoutTemplates(lines.join('\n\n')), notification_id: key };
  }
  const message = withoutTemplates(textBelowTitle(incidentOf(event)));
  if (!action.startsWith('notify.mobile_app_')) {
    return { title, message: [message, ...plainButtonLines(event)].join('\n') };
  }
  // https://companion.home-assistant.io/docs/notifications/notifications-basic/
  return {
    title,
    message,
    data: {
      tag: key,
      group: event.site.name,
      ...(link !== null && { url: link, clickAction: link }),
      ...actionsOf(event),
    },
  };
}

/** https://companion.home-assistant.io/docs/notifications/actionable-notifications: they open a page. */
function actionsOf({ buttons }: AlertEvent): object {
  if (buttons.length === 0) return {};
  return { actions: buttons.map(({ label: title, url: uri }) => ({ action: 'URI', title, uri })) };
}

/** Home Assistant fills in templates in shown text. */
function withoutTemplates(text: string): string {
  return text.replace(/\{(?=[{%#])/g, '{ ');
}
