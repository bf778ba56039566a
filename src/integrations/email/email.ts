import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, flag, readFields, refined, text } from '../../lib/fields.ts';
import type { Integration } from '../integration.ts';
import { alertMail } from './message.ts';

export interface EmailSettings {
  readonly address: string;
  /** Which changes are told. */
  readonly down: boolean;
  readonly up: boolean;
}

// Whether a mailbox exists only the mail system can tell; this catches what cannot be an address at all.
const ADDRESS = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/;

export const addressField = refined(
  text({ maxLength: TEXT_LIMITS.emailAddress }),
  'e-mail address',
  (value) => (ADDRESS.test(value) ? value : null),
);

const FIELDS = {
  email: addressField,
  down: flag('Send a message when a check goes down.'),
  up: flag('Send a message when a check comes up.'),
};

export const email: Integration<EmailSettings> = {
  label: 'Email',
  settingNames: Object.keys(FIELDS),
  readSettings,
  readStored({ address, ...toggles }) {
    return readSettings({ ...(address !== undefined && { email: address }), ...toggles });
  },
  wants: (settings, to) => settings[to],
  destination: () => 'mail',
  needsBody: true,
  send: (event, { address }, ports) => ports.mail(alertMail(event, address, ports.unsubscribeUrl())),
};

function readSettings(source: Readonly<Record<string, unknown>>): EmailSettings | Fault {
  const values = readFields(FIELDS, source);
  if (values instanceof Fault) return values;
  const { email: address, down = true, up = true } = values;
  if (address === undefined) return new Fault('email is missing');
  if (!down && !up) return new Fault('down and up are both off');
  return { address, down, up };
}
