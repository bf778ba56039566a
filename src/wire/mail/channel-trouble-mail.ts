import type { Instant } from '../../lib/instant.ts';
import type { Fact, MailText } from '../../lib/mail-document/document.ts';
import { type TimeReader, zonedTime } from '../../lib/text/clock-text.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { integrationAddress, type MessageSite } from '../site.ts';
import { projectName } from './mail-text.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

const MAX_NAME = 60;

export interface ChannelTroubleNotice {
  readonly trouble: 'off' | 'failing';
  readonly channel: {
    readonly uuid: string;
    /** Its name, or its kind and its destination. */
    readonly name: string;
    /** The last message of the destination; may be empty. */
    readonly error: string;
    /** Since when it is off or fails. */
    readonly since: Instant | null;
    /** Why it is off. Empty while it is on. */
    readonly reason: string;
  };
  readonly project: { readonly name: string; readonly uuid: string };
  readonly reader: TimeReader;
  readonly site: MessageSite;
}

/** The mail to the owner of a project about an integration by which nobody is told any more. */
export function channelTroubleMail({
  trouble,
  channel,
  project,
  reader,
  site,
}: ChannelTroubleNotice): MailText {
  const name = shortened(oneLine(channel.name), MAX_NAME);
  const isOff = trouble === 'off';
  const told: Fact[] = [
    ...(channel.since === null ? [] : [{ label: 'Since', value: zonedTime(channel.since, reader) }]),
    ...(channel.reason === '' ? [] : [{ label: 'Why', value: channel.reason }]),
    ...(channel.error === '' ? [] : [{ label: 'Answer', value: oneLine(channel.error) }]),
  ];
  return noticeMail({
    siteName: site.name,
    subject: isOff ? `The integration "${name}" is off` : `The integration "${name}" has failed for a day`,
    lead: isOff
      ? `The integration "${name}" in the project ${projectName(project)} was switched off, because it cannot deliver any more.`
      : `No alert has arrived through the integration "${name}" in the project ${projectName(project)} for a day, while others arrived elsewhere.`,
    blocks: [
      ...(told.length === 0 ? [] : [facts(...told)]),
      paragraphs(
        isOff
          ? 'Alerts are not sent through it until somebody mends its settings or switches it on again.'
          : 'Each alert is tried for a day and then given up. Look at its settings, and send a test.',
      ),
      link(integrationAddress(site.root, project.uuid, channel.uuid), `Open ${name}`),
    ],
  });
}
